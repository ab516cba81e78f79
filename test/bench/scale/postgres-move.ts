import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../support/database/postgres.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { built } from '../built.ts';
import type { Checkout } from '../checkout.ts';
import { cleanEnvironment, endWithAll, start, variables } from '../processes.ts';
import { compared, median } from '../rounds.ts';
import { SERVER } from './databases.ts';

/** Each is a whole installation. */
const MOST_ROUNDS = 3;

/** `headwater move` from a data folder to PostgreSQL. */
export const postgresMove: Measure = {
  name: 'postgres-move',
  about:
    'move of a data folder to PostgreSQL, checks included ÷ COPY of the same rows from files of the server into the same tables with their indexes',
  async run({ datasets, rounds, large }: Bench): Promise<readonly Figure[]> {
    const { checkout, folder } = await datasets.twin(await datasets.of(large));
    const server = await startPostgres(SERVER);
    endWithAll(() => server.end());
    const [moved, copied]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
      const name = await server.create();
      moved.push(await moveSeconds(checkout, folder, server.url(name)));
      copied.push(await copySeconds(server, name));
      await server.drop(name);
    }
    return [
      {
        name: `move of ${large.toLocaleString('en')} items: speed ÷ bare COPY`,
        ...compared(copied, moved),
        unit: '×',
        target: { atLeast: 0.5 },
        detail: `${median(copied).toFixed(1)} s ÷ ${median(moved).toFixed(1)} s`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no PostgreSQL' },
};

async function moveSeconds({ program, root }: Checkout, folder: string, to: string): Promise<number> {
  const began = performance.now();
  const child = start(process.execPath, [program, 'move', '--to', to], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: root,
    // With this variable the command runs the build as it is.
    env: cleanEnvironment({ ...variables({ DATA_DIR: folder }), npm_lifecycle_event: 'bench' }),
  });
  let errorOutput = '';
  child.stderr?.on('data', (chunk) => (errorOutput = (errorOutput + chunk).slice(-4000)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`headwater move ended with ${code}: ${errorOutput}`);
  return (performance.now() - began) / 1000;
}

/** Copies all rows of a database into empty tables of another one. @returns how long the second half took */
async function copySeconds(server: PostgresServer, from: string): Promise<number> {
  const { dataTables } = await built<typeof import('../../../core/storage/postgres/data-tables.ts')>(
    'core/storage/postgres/data-tables',
  );
  const names = (
    await dataTables({ all: async <T>(text: string) => (await server.run(text, from)).rows as T[] })
  ).map(({ name }) => name);
  const to = `${from}_copy`;
  await server.run(`CREATE DATABASE ${to} TEMPLATE ${from}`);
  await server.run(`TRUNCATE ${names.join(', ')}`, to);
  const { rows } = await server.run('SHOW data_directory');
  const fileOf = (name: string) => join(dirname(rows[0].data_directory), `rows-${name}`);
  const copy = (way: 'TO' | 'FROM') =>
    names.map((name) => `COPY ${name} ${way} '${fileOf(name)}'`).join('; ');
  await server.run(copy('TO'), from);
  const began = performance.now();
  await server.run(copy('FROM'), to);
  const seconds = (performance.now() - began) / 1000;
  await server.drop(to);
  return seconds;
}
