/** A build of the next release: the current one with another version, one more migration and the next internal protocol. */
import { execFile } from 'node:child_process';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyProgram } from '../service/program-files.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Of the build. */
const EXTENSION = '.js';
const LINKED = ['node_modules', 'config', 'core', 'plugins', 'workers'];
export const NEXT_VERSION = '1000.0.0';

const imported = (name: string) => JSON.stringify(`./${name}${EXTENSION}`);

/** What a release may add while older cores run: a table, a column and an index. */
const MIGRATION = `import { runSchema } from ${imported('dialect')};
export async function up(knex) {
  await runSchema(knex, [
    'CREATE TABLE next_release (number INTEGER PRIMARY KEY, text TEXT)',
    ...['version', 'variant', 'item', 'asset', 'content_type', 'language', 'project', 'change', 'installation'].map(
      (table) => 'ALTER TABLE ' + table + ' ADD COLUMN next_release TEXT',
    ),
    'CREATE INDEX item_next_release ON item (next_release)',
  ]);
}
export async function down() {}
`;

/** @returns the program in the folder, which has to be empty */
export async function makeNextBuild(folder: string): Promise<string> {
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name));
  const built = (await readdir(join(ROOT, '.build'))).filter((name) => name !== 'bundle');
  // Node resolves links of the program itself.
  await copyProgram([...built.map((name) => `.build/${name}`), 'gateway/cli'], folder);
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const current = manifest.version;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: NEXT_VERSION }));
  const build = join(folder, '.build/core');
  await writeFile(join(build, `storage/migrations/9999-next-release${EXTENSION}`), MIGRATION);
  await patch(
    join(build, 'storage/migrations/migration-list.js'),
    [/^/, `import * as nextRelease from ${imported('9999-next-release')};\n`],
    [/\n\];/, `\n    { name: '9999-next-release', migration: nextRelease, oldest: '${current}' },\n];`],
  );
  await patch(
    join(build, 'remote/protocol/wire.js'),
    [/PROTOCOL = (\d+);/, (_, version) => `PROTOCOL = ${Number(version) + 1};`],
    [/PROTOCOLS = \[(?:\d+, )?(\d+)\];/, (_, version) => `PROTOCOLS = [${version}, ${Number(version) + 1}];`],
  );
  await promisify(execFile)(process.execPath, [join(folder, 'gateway/cli/bundle.mjs')]);
  return join(folder, 'gateway/cli/headwater.cjs');
}

type Change = readonly [what: RegExp, by: string | ((whole: string, version: string) => string)];

async function patch(file: string, ...changes: readonly Change[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [what, by] of changes) {
    if (!what.test(text)) throw new Error(`${file} does not have ${what}.`);
    text = typeof by === 'string' ? text.replace(what, () => by) : text.replace(what, by);
  }
  await writeFile(file, text);
}
