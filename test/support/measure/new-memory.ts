import { mainThreadCpu } from './cpu.mjs';

/** Beyond what malloc keeps once it was freed, so that each block is new. */
const BLOCK_MB = 48;
/** Milliseconds of CPU that a megabyte of new memory takes. A virtual machine that returns unused memory to its host took 3.2. */
const ORDINARY_MS = 0.25;

/**
 * A time of CPU without what new memory takes longer on this machine than on others: what the system does for it is not the
 * work that is measured.
 * @param milliseconds as measured just now; what is allowed anyway is left as it is
 * @param bytes of new memory that the work needs
 */
export function withoutSlowMemory(milliseconds: number, allowed: number, bytes: number): number {
  if (milliseconds <= allowed) return milliseconds;
  const before = mainThreadCpu();
  Buffer.allocUnsafeSlow(BLOCK_MB * 1e6).fill(1);
  const perMegabyte = (mainThreadCpu() - before) / BLOCK_MB;
  return milliseconds - Math.max(0, perMegabyte - ORDINARY_MS) * (bytes / 1e6);
}
