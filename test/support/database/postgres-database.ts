import { SHIPPED_ROLES } from '../../../core/storage/migrations/0022-shipped-roles.ts';
import type { Storage } from '../../../core/storage/ports.ts';
import { openPostgres } from '../../../core/storage/postgres/open-postgres.ts';
import { postgresServer } from './postgres.ts';
import { runStatements } from './run-statements.ts';
import type { TestDatabase } from './test-database.ts';

/** Deletes all rows but those of some tables. */
const deleteRows = (kept: string) => `
  DO $$
  DECLARE one record;
  BEGIN
    FOR one IN SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
      AND relkind = 'r' AND relname NOT LIKE 'knex_%' AND relname NOT IN (${kept}) AND pg_relation_size(oid) > 0 LOOP
      IF pg_relation_size(one.oid) > 1000000 THEN EXECUTE format('TRUNCATE %I CASCADE', one.relname);
      ELSE EXECUTE format('DELETE FROM %I', one.relname);
      END IF;
    END LOOP;
  END $$`;
const IGNORE_REFERENCES = 'SET LOCAL session_replication_role = replica';

/** Makes a database as it was before its first use: in a tenth of the time of a new one. */
const EMPTY = `
  BEGIN;
  ${IGNORE_REFERENCES};
  SELECT setval(seqrelid, seqstart, false) FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'knex_%';
  ${deleteRows("''")};
  INSERT INTO role (id, codename, name, permissions) VALUES ${SHIPPED_ROLES.map(
    ({ id, codename, name, permissions }) =>
      `('${id}', '${codename}', '${name}', '${JSON.stringify(permissions)}')`,
  ).join(', ')};
  COMMIT`;

let template: Promise<string> | undefined;
const unused: string[] = [];

/** A database with the tables of this version, and nothing in them. */
export async function postgresDatabase(): Promise<TestDatabase & { readonly url: string }> {
  const server = await postgresServer();
  const name = unused.pop() ?? (await migratedDatabase());
  const url = server.url(name);
  return {
    url,
    open: (_, clock) => openPostgres({ url, ...(clock && { clock }) }),
    async check() {
      await server.run(
        `CREATE EXTENSION IF NOT EXISTS amcheck;
         SELECT bt_index_check(i.indexrelid, true) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am a ON a.oid = x.relam AND a.amname = 'btree'
         WHERE c.relnamespace = 'public'::regnamespace`,
        name,
      );
    },
    async failUpdates(storage, table, column, old) {
      await runStatements(
        storage,
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = 'disk_full'; END $$`,
        `CREATE TRIGGER full_disk BEFORE UPDATE OF ${column} ON ${table} FOR EACH ROW WHEN (${old})
         EXECUTE FUNCTION full_disk()`,
      );
      return () => runStatements(storage, `DROP TRIGGER full_disk ON ${table}`, 'DROP FUNCTION full_disk');
    },
    async remove() {
      await server.run(EMPTY, name);
      unused.push(name);
    },
  };
}

/** @returns the name of a copy of a database that was migrated once */
export async function migratedDatabase(): Promise<string> {
  const server = await postgresServer();
  template ??= (async () => {
    const name = await server.create();
    await (await openPostgres({ url: server.url(name) })).close();
    return name;
  })();
  return server.create(`TEMPLATE ${await template}`);
}

/** Leaves no row that a test wrote; what the open store knows of its database stays true. */
export async function emptyTables(storage: Storage): Promise<void> {
  await runStatements(
    storage,
    IGNORE_REFERENCES,
    deleteRows(`'installation', 'role', 'running_core'`),
    'DELETE FROM installation WHERE id > 1',
  );
}
