/**
 * Four writers on a core of its own, from the build, until the process is killed. Before each call a line says
 * what state it should lead to, after the answer another that it has come.
 *
 *     node writers.mjs <data folder> <project> <round>
 */
import { createCore } from '../../../.build/core/compose/create-core.js';
import { manageCall } from './manage-call.mjs';
import { writeItem } from './write-item.mjs';

const WRITERS = 4;

const [, , folder, project, round] = process.argv;
const log = { info() {}, warn() {}, error: (_fields, text) => process.stderr.write(`${text}\n`) };
const core = await createCore({
  dataDir: folder,
  databaseUrl: process.env.HEADWATER_DATABASE_URL ?? null,
  vendor: { header: ['SVC'], mediaType: 'service' },
  log,
});
const report = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const call = manageCall(core, project);

report({ ready: true });
for (let writer = 0; writer < WRITERS; writer++)
  void writeItem({ item: `r${round}-w${writer}`, round, call, report });
