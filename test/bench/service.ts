import { readFileSync } from 'node:fs';
import { freePort } from '../support/network/free-port.ts';
import type { Checkout } from './checkout.ts';
import type { Dataset } from './datasets.ts';
import { cleanEnvironment, end, start, variables } from './processes.ts';

export { freePort };

const LONGEST_START_MS = 30_000;

export interface Service {
  readonly port: number;
  readonly pid: number;
  /** Path of a listing: `itemsPath('limit=20')`. */
  itemsPath(query: string): string;
  end(): Promise<void>;
}

/** With `HEADWATER_BENCH_PROFILE` a folder, services write a CPU profile there when they end. */
const profiles = process.env.HEADWATER_BENCH_PROFILE;
const profiling = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];

/**
 * Starts the built service of the data folder's checkout over it: plain HTTP, no sample project, everything else by default unless
 * `settings` (variables without their prefix) say otherwise.
 */
export async function startService(
  dataset: Dataset,
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const port = await freePort();
  // Answers from memory have a benchmark of their own.
  const all = serviceSettings(dataset.folder, port, { PIPELINE__OFF: 'response-cache', ...settings });
  const program = await startProgram(dataset.checkout, all, port);
  return { ...program, itemsPath: (query) => `/delivery/${dataset.project}/items?${query}` };
}

/**
 * Runs the program of a checkout until `end`, and waits until it answers on the port.
 *
 * @param settings variables with their prefix
 */
export async function startProgram(
  checkout: Checkout,
  settings: Readonly<Record<string, string>>,
  port: number,
): Promise<Pick<Service, 'port' | 'pid' | 'end'>> {
  const child = start(process.execPath, [...profiling, checkout.program, 'serve'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: checkout.root,
    // The build is made before the benchmark starts, not while it runs.
    env: cleanEnvironment({ ...settings, npm_lifecycle_event: 'bench' }),
  });
  let said = '';
  child.stderr?.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
  const gone = new Promise<never>((_, reject) => {
    child.once('close', (code) => reject(new Error(`The service ended with ${code}: ${said}`)));
  });
  gone.catch(() => {});
  await Promise.race([ready(port), gone]);
  return {
    port,
    pid: servicePid(child.pid!),
    end: () => end(child),
  };
}

/** Where Node cannot replace a process by another, the one we started runs the service as its child. */
function servicePid(started: number): number {
  const children = readFileSync(`/proc/${started}/task/${started}/children`, 'utf8')
    .split(' ')
    .filter(Boolean);
  const isService = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('headwater.cjs');
  return Number(children.find(isService) ?? started);
}

/** Variables for a service on a port of 127.0.0.1. */
export function serviceSettings(
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const own = { DATA_DIR: folder, PORT: `${port}`, TLS_PORT: '0', SAMPLE: 'false', DRAIN_SECONDS: '1' };
  return variables({ ...own, ...settings });
}

/** Waits until the service says that it can serve. */
export async function ready(port: number, every = 20): Promise<void> {
  const limit = performance.now() + LONGEST_START_MS;
  while (performance.now() < limit) {
    const status = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, every));
  }
  throw new Error(`The service was not ready within ${LONGEST_START_MS / 1000} s.`);
}
