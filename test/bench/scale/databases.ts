/** A PostgreSQL with databases of generated content. */
import { type PostgresServer, startPostgres } from '../../support/database/postgres.ts';
import { type Dataset, type Datasets, itemsFor } from '../datasets.ts';
import { endWithAll } from '../processes.ts';
import { runCommand } from '../run-command.ts';

/** A database, and an empty folder for a service over it. */
export interface DatabaseDataset {
  readonly name: string;
  readonly dataset: Dataset;
  readonly url: string;
  /** For a service. */
  readonly settings: { readonly DATABASE_URL: string };
}

export interface Databases {
  readonly server: PostgresServer;
  /** The database of so many published items; what a service changes in it is gone with the server. */
  of(published: number): Promise<DatabaseDataset>;
  /** A copy of a database that no service has open. */
  copy(database: DatabaseDataset): Promise<DatabaseDataset>;
  /** CPU time of the server, in milliseconds. */
  cpu(): number;
}

/** Commits reach the disk, and tables are vacuumed, as on a server in production. */
export const SERVER = { durable: true, settings: ['shared_buffers = 256MB', 'autovacuum = on'] };

/** @param sizes numbers of published items; each is a database, generated once and kept with the data */
export async function startDatabases(datasets: Datasets, sizes: readonly number[]): Promise<Databases> {
  const archive = await datasets.file(`postgres-${sizes.join('-')}.tar`, (file) =>
    generate(datasets, sizes, file),
  );
  const server = await startPostgres({ ...SERVER, archive });
  endWithAll(() => server.end());
  let copies = 0;
  const open = async (published: number, name: string): Promise<DatabaseDataset> => {
    const { rows } = await server.run('SELECT id FROM project', name);
    const dataset = {
      checkout: datasets.checkout,
      folder: await datasets.folder(`over-${name}`),
      project: rows[0].id,
      published,
      items: itemsFor(published),
      seconds: 0,
      reused: true,
    };
    return { name, dataset, url: server.url(name), settings: { DATABASE_URL: server.url(name) } };
  };
  return {
    server,
    of: (published) => open(published, nameOf(published)),
    async copy({ name: original, dataset }) {
      const name = `${original}_${++copies}`;
      await server.run(`CREATE DATABASE ${name} TEMPLATE ${original}`);
      return open(dataset.published, name);
    },
    cpu: () => server.cpu() / 1000,
  };
}

const nameOf = (published: number) => `items_${published}`;

async function generate(datasets: Datasets, sizes: readonly number[], file: string): Promise<void> {
  const { checkout, progress } = datasets;
  const server = await startPostgres(SERVER);
  endWithAll(() => server.end());
  for (const published of sizes) {
    progress(`generating ${published} items in PostgreSQL`);
    const name = nameOf(published);
    await server.run(`CREATE DATABASE ${name}`);
    const args = ['generate', '--items', `${itemsFor(published)}`];
    const folder = await datasets.folder(`generate-${name}`);
    await runCommand(checkout, folder, args, progress, { DATABASE_URL: server.url(name) });
    await server.run('VACUUM ANALYZE', name);
  }
  await server.backUp(file);
  await server.end();
}
