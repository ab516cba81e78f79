import type { Knex } from 'knex';
import { runSchema } from './dialect.ts';

/**
 * What cores of the version before write on PostgreSQL, beside those of this one or after a rollback, and lists show: documents
 * that they compile, uses of assets (kind 3), and languages, which change the rows of all items. Their writers do not set
 * `headwater.blocks`. The preview URLs of an import that they remove go with its project.
 */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE FUNCTION unlist_compiled() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO unlisted (item, project) VALUES (NEW.item, NEW.project) ON CONFLICT DO NOTHING;
      RETURN NULL; END $$`,
    `CREATE FUNCTION unlist_used_asset() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE used bigint; BEGIN
      IF TG_OP = 'DELETE' THEN used := OLD.target; ELSE used := NEW.target; END IF;
      INSERT INTO unlisted_asset (asset, project) SELECT number, project FROM asset WHERE number = used AND file IS NOT NULL
      ON CONFLICT DO NOTHING;
      RETURN NULL; END $$`,
    `CREATE FUNCTION unlist_language() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO unlisted (item, project) SELECT number, project FROM item WHERE project = NEW.project AND type IS NOT NULL
      ON CONFLICT DO NOTHING;
      RETURN NULL; END $$`,
    trigger('unlisted_compiled', 'INSERT ON document', 'unlist_compiled'),
    trigger('unlisted_used_asset', 'INSERT ON uses', 'unlist_used_asset', 'AND NEW.kind = 3'),
    trigger('unlisted_unused_asset', 'DELETE ON uses', 'unlist_used_asset', 'AND OLD.kind = 3'),
    trigger('unlisted_language', 'INSERT OR UPDATE ON language', 'unlist_language'),
    `ALTER TABLE preview_url DROP CONSTRAINT preview_url_project_fkey,
      ADD FOREIGN KEY (project) REFERENCES project (number) ON DELETE CASCADE`,
  ]);
}

function trigger(name: string, event: string, calls: string, where = ''): string {
  return `CREATE TRIGGER ${name} AFTER ${event} FOR EACH ROW
    WHEN (current_setting('headwater.blocks', true) IS DISTINCT FROM 'on' ${where}) EXECUTE FUNCTION ${calls}()`;
}
