import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/** Lists by author, or of items that lack a required element, read one of these alone. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(
    knex,
    ['name', 'changed'].flatMap((order) => [
      `CREATE INDEX listed_author_${order} ON listed (language, author, ${order}, number, type, state)
        WHERE author IS NOT NULL`,
      `CREATE INDEX listed_lacking_${order} ON listed (language, ${order}, number, type, state) WHERE lacking = 1`,
    ]),
  );
}
