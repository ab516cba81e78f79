import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/ports.ts';

interface UnderWay {
  readonly stop: AbortController;
  /** Resolves when nothing of it is left to do. */
  readonly over: Promise<void>;
}

/** Each holds a few rows in memory, of up to 32 MiB: 140 MiB with the largest. */
const AT_ONCE = 4;

/** Imports by the id of their project; the process that has the storage open is the only one that does. */
const underWay = new WeakMap<Storage, Map<string, UnderWay>>();

/**
 * Runs the only import of a project.
 * @throws conflict for the second of two imports of it at once, unavailable when many run already
 */
export async function asOnlyImport<T>(
  storage: Storage,
  project: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const projects = underWay.get(storage) ?? new Map<string, UnderWay>();
  underWay.set(storage, projects);
  if (projects.has(project))
    throw new ServiceError('conflict', `The project '${project}' is being imported just now.`);
  if (projects.size >= AT_ONCE)
    throw new ServiceError(
      'unavailable',
      `${AT_ONCE} archives are being imported just now. Import this one when one of them is done.`,
    );
  const stop = new AbortController();
  let ended = () => {};
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  projects.set(project, { stop, over });
  try {
    return await work(stop.signal);
  } finally {
    projects.delete(project);
    ended();
  }
}

/** Resolves when nothing of the import is left. */
export async function cancelImport(storage: Storage, project: string): Promise<void> {
  const import_ = underWay.get(storage)?.get(project);
  import_?.stop.abort(new ServiceError('conflict', 'The import was canceled; nothing of it was kept.'));
  await import_?.over;
}

/** At shutdown: resolves when nothing is left of any of them. */
export async function stopImports(storage: Storage): Promise<void> {
  const all = [...(underWay.get(storage)?.values() ?? [])];
  for (const { stop } of all)
    stop.abort(
      new ServiceError(
        'unavailable',
        'The service stops; nothing was imported. Import the archive again later.',
      ),
    );
  await Promise.all(all.map(({ over }) => over));
}
