import { existsSync } from 'node:fs';

/** `auto`: jemalloc where the system has it. */
export type Allocator = 'auto' | 'system';

/** Where distributions put it; the dynamic linker takes no bare name that is not in its cache. */
const JEMALLOC = [
  '/usr/lib/x86_64-linux-gnu/libjemalloc.so.2',
  '/usr/lib/aarch64-linux-gnu/libjemalloc.so.2',
  '/usr/lib64/libjemalloc.so.2',
  '/usr/lib/libjemalloc.so.2',
  '/usr/local/lib/libjemalloc.so.2',
];

/** The rest is none of a decoder's business: tokens and keys, above all. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'];

/** Threads for reading files beside those that transform. */
const SPARE_THREADS = 2;

export function jemallocFile(): string | undefined {
  return process.platform === 'linux' ? JEMALLOC.find((file) => existsSync(file)) : undefined;
}

/** @param slots tasks the host does at once */
export function hostEnvironment(slots: number, allocator: Allocator): NodeJS.ProcessEnv {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(inherited),
    UV_THREADPOOL_SIZE: String(slots + SPARE_THREADS),
    // What damaged pictures make the library say belongs to their answer, not into our log.
    VIPS_WARNING: '0',
    VIPS_CONCURRENCY: '1',
    ...memory(allocator),
  };
}

/**
 * 400 mixed transforms left 430 MB with glibc as it comes, 240 with two arenas, 85 with jemalloc. That keeps pages
 * for five seconds, because the next picture needs them again: with one second a PNG took 6 % more CPU.
 */
function memory(allocator: Allocator): NodeJS.ProcessEnv {
  const jemalloc = allocator === 'auto' ? jemallocFile() : undefined;
  if (jemalloc === undefined) return { MALLOC_ARENA_MAX: '2' };
  return {
    LD_PRELOAD: jemalloc,
    MALLOC_CONF: 'background_thread:true,dirty_decay_ms:5000,muzzy_decay_ms:0',
  };
}
