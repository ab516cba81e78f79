import { mainThreadCpu } from './cpu.mjs';

/** Beyond what malloc keeps once it was freed, so that each block is new. */
const BLOCK_BYTES = 48e6;
/** The part of it that is written. All of it took 22 s of a whole run where new memory is slow. */
const WRITTEN_MB = 8;
/** CPU time that a megabyte of new memory takes. On a virtual machine that returns unused memory to its host it was 3.2. */
const ORDINARY_MS = 0.25;
/** The most that was measured in this process: memory that was freed a moment ago is fast again, here and not in what is measured. */
let slowestMs = ORDINARY_MS;

/**
 * A CPU time less what new memory takes longer on this machine than on an ordinary one: the system's work for it is not what is
 * measured. Where that is as slow as 3.2 ms, a text of 30 MB may take 90 ms more, so there the tests prove little of such texts.
 * @param milliseconds as measured just now; what is allowed anyway is left as it is
 * @param bytes of new memory that the work needs at most
 */
export function withoutSlowMemory(milliseconds: number, allowed: number, bytes: number): number {
  if (milliseconds <= allowed) return milliseconds;
  const written = Buffer.allocUnsafeSlow(BLOCK_BYTES).subarray(0, WRITTEN_MB * 1e6);
  const before = mainThreadCpu();
  // The system provides pages when they are first written.
  written.fill(1);
  slowestMs = Math.max(slowestMs, (mainThreadCpu() - before) / WRITTEN_MB);
  return milliseconds - (slowestMs - ORDINARY_MS) * (bytes / 1e6);
}
