import { availableParallelism } from 'node:os';
import type { Settings } from '../../config/schema.ts';
import { listenRemote } from '../../workers/host/listen-remote.ts';
import { TASKS_PER_HOST } from '../../workers/tier/start-workers.ts';
import { createLog, logFor } from '../log.ts';
import { processIdentity } from '../process-identity.ts';
import { StartError } from '../start-error.ts';
import { hostAndPort, openWorkers } from './open-workers.ts';

export interface RunningWorker {
  /** `host:port` for its clients. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Transforms pictures for services on other machines, without data folder, database and HTTP.
 *
 * @throws StartError
 */
export async function startWorker(settings: Settings): Promise<RunningWorker> {
  const { token, listen, hosts } = settings.workers;
  if (token === null) {
    throw new StartError('A worker needs the secret that it shares with its clients: workers.token.');
  }
  const identity = processIdentity(settings);
  const log = logFor(createLog(settings.logLevel, identity))('workers');
  const workers = openWorkers(settings.workers, log, []);
  const { host, port } = hostAndPort(listen);
  const concurrency = (hosts ?? Math.max(1, availableParallelism() - 1)) * TASKS_PER_HOST;
  try {
    const listener = await listenRemote({ workers, host, port, token, concurrency, log });
    return {
      address: `${listen.slice(0, listen.lastIndexOf(':'))}:${listener.port}`,
      async close() {
        await listener.close();
        await workers.close();
      },
    };
  } catch (error) {
    await workers.close();
    throw new StartError(`A worker cannot listen at ${listen}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
