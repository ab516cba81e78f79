import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/ports.ts';

interface RunningImport {
  readonly stop: AbortController;
  /** Resolves when the import has ended. */
  readonly ended: Promise<void>;
}

/** Most imports at a time: each holds rows of up to 32 MiB, which take 140 MiB of memory. */
const MAX_IMPORTS = 4;

export const CANCELED = 'The import was canceled; nothing of it was kept.';
/** Imports of this process by project id. */
const running = new WeakMap<Storage, Map<string, RunningImport>>();

export function isImported(project: string): ServiceError {
  return new ServiceError('conflict', `The project '${project}' is being imported just now.`);
}

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
  if (projects.has(project)) throw isImported(project);
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

/** Whether this process runs an import of the project. */
export function isImporting(storage: Storage, project: string): boolean {
  return running.get(storage)?.has(project) === true;
}

/**
 * Ends an import of this process whose job was canceled or taken over. Resolves when it has ended and everything it wrote
 * is removed.
 */
export function endImport(storage: Storage, project: string): Promise<void> {
  return abort(storage, project, 'conflict', CANCELED);
}

/** Ends all imports of this process, because the database may lack what they wrote. Returns at once. */
export function endImports(storage: Storage): void {
  for (const project of running.get(storage)?.keys() ?? [])
    void abort(
      storage,
      project,
      'unavailable',
      'The database has changed; nothing of the import was kept. Import the archive again.',
    );
}

async function abort(
  storage: Storage,
  project: string,
  name: 'conflict' | 'unavailable',
  message: string,
): Promise<void> {
  const found = running.get(storage)?.get(project);
  found?.stop.abort(new ServiceError(name, message));
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
