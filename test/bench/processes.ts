/** Every process the benchmark starts is recorded here, so that none outlives it. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const TIMEOUT_MS = 5000;
const running = new Set<ChildProcess>();
const servers = new Set<() => Promise<void>>();

/**
 * Starts a process at the head of a group of its own: what it starts in turn (npm starts a shell) ends with
 * it, and a Ctrl-C reaches only us.
 */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { cwd: ROOT, ...options, detached: true });
  running.add(child);
  child.once('close', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/** Sends SIGTERM, then SIGKILL. */
export async function end(child: ChildProcess, patience = TIMEOUT_MS): Promise<void> {
  if (!running.has(child) || child.pid === undefined) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  signal(child, 'SIGTERM');
  const timer = setTimeout(() => signal(child, 'SIGKILL'), patience);
  await closed;
  clearTimeout(timer);
}

export async function endAll(): Promise<void> {
  await Promise.all([...running].map((child) => end(child)));
  const ends = [...servers].map((endServer) => endServer());
  servers.clear();
  await Promise.all(ends);
}

/** For a server that ends by other means than a signal to a child of ours, after everything else. */
export function endWithAll(endServer: () => Promise<void>): void {
  servers.add(endServer);
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

process.on('exit', () => {
  for (const child of running) signal(child, 'SIGKILL');
});

/** Settings and npm's own variables of the caller must not reach what is measured. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(HEADWATER_|npm_|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(kept), ...more };
}

/** Settings as variables of the environment. */
export function variables(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`HEADWATER_${name}`, value]));
}
