import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { HeadwaterProcess, IN_PLACE } from '../service/run-headwater.ts';
import { ADMIN_TOKEN } from '../service/start-service.ts';

export interface Runs {
  /** Milliseconds of CPU time of the longest run of the main thread without yielding, since the last call. */
  readonly longest: number;
  /** CPU time of the main thread so far, in milliseconds. */
  readonly cpu: number;
}

export interface WatchedServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly process: HeadwaterProcess;
  readonly dataDir: string;
  runs(): Promise<Runs>;
  stop(): Promise<void>;
}

const WATCH = join(import.meta.dirname, 'watch.mjs');

/**
 * The built service as a process of its own, whose main thread is watched.
 * @param environment more settings, under their names in the environment
 */
export async function startWatched(
  environment: Readonly<Record<string, string>> = {},
): Promise<WatchedServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'headwater-watched-'));
  const socket = join(dataDir, 'runs.sock');
  const process = new HeadwaterProcess(['serve'], {
    ...IN_PLACE,
    HEADWATER_DATA_DIR: join(dataDir, 'data'),
    HEADWATER_PORT: '0',
    HEADWATER_TLS_PORT: '0',
    HEADWATER_SAMPLE: 'false',
    HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
    HEADWATER_LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import=${WATCH}`,
    RUN_WATCH: socket,
    ...environment,
  });
  const [url] = await process.printed(/http:\/\/127\.0\.0\.1:\d+/);
  return {
    url,
    process,
    dataDir,
    async runs() {
      const connection = connect(socket);
      await once(connection, 'connect');
      return JSON.parse(await text(connection)) as Runs;
    },
    async stop() {
      process.signal('SIGTERM');
      await process.ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
