/**
 * Planning a page takes 1.5 ms, running it 0.2 ms, and its access path is chosen before. The rest keeps the planner to
 * that path while statistics are missing or out of date: an index is read, not a table that was empty when it was
 * counted.
 */
export const READER_SESSION = `SET default_transaction_read_only = on; SET jit = off;
  SET plan_cache_mode = force_generic_plan; SET max_parallel_workers_per_gather = 0;
  SET random_page_cost = 1.1; SET enable_seqscan = off; SET work_mem = '16MB'`;
