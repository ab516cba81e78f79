/** Cores on one PostgreSQL database: one in this process, without duties, and others as processes that can be killed. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { Storage } from '../../../core/storage/ports.ts';
import { openPostgres } from '../../../core/storage/postgres/open-postgres.ts';
import { postgresDatabase } from '../database/postgres-database.ts';
import { SILENT } from './core-settings.ts';
import { openCore } from './open-core.ts';
import { HeadwaterProcess, IN_PLACE } from './run-headwater.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';

type Database = Awaited<ReturnType<typeof postgresDatabase>>;

export class CoresOnOneDatabase {
  readonly folder: string;
  readonly #database: Database;
  readonly #processes: HeadwaterProcess[] = [];
  /** Has no duties. */
  core!: RunningCore;

  private constructor(folder: string, database: Database) {
    this.folder = folder;
    this.#database = database;
  }

  static async open(): Promise<CoresOnOneDatabase> {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-cores-'));
    const cores = new CoresOnOneDatabase(folder, await postgresDatabase());
    cores.core = await openCore({
      dataDir: join(folder, 'own'),
      databaseUrl: cores.#database.url,
      filesDir: join(folder, 'files'),
      log: SILENT,
      duties: [],
    });
    return cores;
  }

  environment(name: string): Record<string, string> {
    return {
      HEADWATER_DATA_DIR: join(this.folder, name),
      HEADWATER_DATABASE_URL: this.#database.url,
      HEADWATER_FILES_DIR: join(this.folder, 'files'),
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_SAMPLE: 'false',
      HEADWATER_WEBHOOKS__ALLOW: '127.0.0.0/8',
      HEADWATER_MAIL__FOLDER: join(this.folder, 'mail'),
      HEADWATER_DRAIN_SECONDS: '1',
      ...IN_PLACE,
    };
  }

  /** The database as another process has it. */
  storage(): Promise<Storage> {
    return openPostgres({ url: this.#database.url });
  }

  /** A core with all duties, which is a gateway too. @returns with its URL */
  async start(name: string): Promise<{ readonly process: HeadwaterProcess; readonly url: string }> {
    const process = new HeadwaterProcess(['serve'], this.environment(name));
    this.#processes.push(process);
    const [, url = ''] = await process.printed(/try +curl -s '(http:\/\/[^/]+)/);
    return { process, url };
  }

  /** Mails that were sent, by name. */
  async mails(): Promise<string[]> {
    const names = await readdir(join(this.folder, 'mail')).catch(() => []);
    return names.filter((name) => name.endsWith('.eml'));
  }

  async close(): Promise<void> {
    for (const one of this.#processes) one.signal('SIGKILL');
    await Promise.all(this.#processes.map(({ ended }) => ended));
    await this.core.close();
    await rm(this.folder, { recursive: true });
    await this.#database.remove();
  }
}
