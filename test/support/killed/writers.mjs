/**
 * Four writers on a core of its own, from the build, until the process is killed. Before each call a line says
 * what state it should lead to, after the answer another that it has come.
 *
 *     node writers.mjs <data folder> <project> <round>
 */
import { createCore } from '../../../.build/core/compose/create-core.js';
import { manageCall } from './manage-call.mjs';

const WRITERS = 4;

const [, , folder, project, round] = process.argv;
const log = { info() {}, warn() {}, error: (_fields, text) => process.stderr.write(`${text}\n`) };
const core = await createCore({
  dataDir: folder,
  databaseUrl: process.env.HEADWATER_DATABASE_URL ?? null,
  vendor: { header: ['SVC'], mediaType: 'service' },
  log,
});
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const call = manageCall(core, project);

/** Makes an item anew and takes it through its states, over and over. */
async function write(item) {
  const path = `/items/external-id/${item}`;
  const variant = `${path}/variants/codename/default`;
  const to = async (state, ...request) => {
    tell({ item, state });
    await call(...request);
    tell({ item, done: true });
  };
  await to({ latest: null, published: null }, 'PUT', path, {
    name: item,
    type: { codename: 'piece' },
    sitemap_locations: [],
  });
  for (let turn = 0; ; turn++) {
    const before = `${round} ${item} ${turn - 1}`;
    const title = `${round} ${item} ${turn}`;
    const published = turn === 0 ? null : before;
    const elements = [
      { element: { codename: 'title' }, value: title },
      { element: { codename: 'links' }, value: [{ external_id: item }, { codename: 'anchor' }] },
    ];
    await to({ latest: title, published }, 'PUT', variant, { elements });
    await to({ latest: title, published: title }, 'PUT', `${variant}/publish`);
    await to({ latest: title, published: title }, 'PUT', `${variant}/new-version`);
    // The anchor is linked to by all the others.
    if (turn % 3 === 2)
      await call('PUT', '/items/external-id/anchor', {
        name: title,
        codename: 'anchor',
        sitemap_locations: [],
      });
  }
}

tell({ ready: true });
for (let writer = 0; writer < WRITERS; writer++) void write(`r${round}-w${writer}`);
