import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/ports.ts';

interface RunningImport {
  readonly stop: AbortController;
  /** Resolves when the import has ended. */
  readonly ended: Promise<void>;
}

/** Most imports at a time: each holds rows of up to 32 MiB, which take 140 MiB of memory. */
const MAX_IMPORTS = 4;

/** By project id. Only one process has the storage open. */
const running = new WeakMap<Storage, Map<string, RunningImport>>();

/**
 * Runs an import while no other one of the project runs.
 * @throws conflict while another one runs, unavailable while the most imports run
 */
export async function runExclusively<T>(
  storage: Storage,
  project: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const projects = running.get(storage) ?? new Map<string, RunningImport>();
  running.set(storage, projects);
  if (projects.has(project))
    throw new ServiceError('conflict', `The project '${project}' is being imported just now.`);
  if (projects.size >= MAX_IMPORTS)
    throw new ServiceError(
      'unavailable',
      `${MAX_IMPORTS} archives are being imported just now. Import this one when one of them is done.`,
    );
  const stop = new AbortController();
  let resolve = () => {};
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  projects.set(project, { stop, ended });
  try {
    return await work(stop.signal);
  } finally {
    projects.delete(project);
    resolve();
  }
}

/** Resolves when the import has ended and everything it wrote is removed. */
export async function cancelImport(storage: Storage, project: string): Promise<void> {
  const found = running.get(storage)?.get(project);
  found?.stop.abort(new ServiceError('conflict', 'The import was canceled; nothing of it was kept.'));
  await found?.ended;
}

/** Cancels all imports at shutdown. */
export async function stopImports(storage: Storage): Promise<void> {
  const all = [...(running.get(storage)?.values() ?? [])];
  for (const { stop } of all)
    stop.abort(
      new ServiceError(
        'unavailable',
        'The service stops; nothing was imported. Import the archive again later.',
      ),
    );
  await Promise.all(all.map(({ ended }) => ended));
}
