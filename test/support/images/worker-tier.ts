/** A worker tier with long time limits for a busy machine, and helpers for its tests. */
import { readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { WorkerError, type Workers } from '../../../workers/contract.ts';
import type { ImagePlan } from '../../../workers/images/image-transform.ts';
import { startWorkers, type WorkersOptions } from '../../../workers/tier/start-workers.ts';

export interface TestTier extends Workers {
  /** Texts of the warnings it logged. */
  readonly warnings: string[];
  /** Texts of its other lines. */
  readonly notes: string[];
}

export function startTier(options: Partial<WorkersOptions> = {}): TestTier {
  const warnings: string[] = [];
  const notes: string[] = [];
  const log = {
    warn: (fields: object, text: string) => warnings.push(`${text} ${JSON.stringify(fields)}`),
    info: (_: object, text: string) => notes.push(text),
  };
  return { ...startWorkers({ hosts: 1, milliseconds: 60_000, ...options, log }), warnings, notes };
}

/** A plan for a JPEG of 40 × 30 by default. */
export function planOf(plan: Partial<ImagePlan> = {}): ImagePlan {
  return {
    window: null,
    width: 40,
    height: 30,
    background: null,
    frames: 'first',
    encoding: { format: 'jpeg', quality: 85, progressive: false },
    ...plan,
  };
}

/** Some tenths of a second of work on any machine; different for each number. */
export function slowPlan(number = 0): ImagePlan {
  return planOf({ width: 700 - number, height: 500, encoding: { format: 'webp', lossless: true } });
}

/** Noise, so that encoders have to work. */
export function noiseImage(width = 1600, height = 1200): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  let state = 7;
  for (let index = 0; index < pixels.length; index++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    pixels[index] = state >>> 24;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

export async function failureOf(run: Promise<unknown>): Promise<WorkerError> {
  const error = await run.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  );
  if (error instanceof WorkerError) return error;
  throw error;
}

export function pidsOf(tier: Workers, queue = 'images'): number[] {
  return (tier.report()[queue]?.hosts ?? []).flatMap(({ pid }) => (pid === null ? [] : [pid]));
}

/** A zombie process counts as ended. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}

/** The nice value of each thread of a process. */
export function priorities(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Host processes of a process that owns a tier. */
export function hostsOf(owner: number): number[] {
  const children = readdirSync(`/proc/${owner}/task`).flatMap((thread) =>
    readFileSync(`/proc/${owner}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.filter((pid) => isAlive(pid) && commandOf(pid).includes('host-main'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
