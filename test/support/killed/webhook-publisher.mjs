/**
 * A core of its own, from the build, that publishes and notifies webhooks until the process is killed. Its clocks run
 * 1,000 times as fast for everything that waits, and are set differently in every round; some of its writes are
 * refused as SQLite refuses them.
 *
 *     node webhook-publisher.mjs <data folder> <project> <round> <seed> [quiet]
 */
import { createCore } from '../../../.build/core/compose/create-core.js';
import { manageCall } from './manage-call.mjs';

const FASTER = 1000;
const WRITERS = 3;

const [, , folder, project, round, seed, quiet] = process.argv;
const report = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Mulberry32: enough to repeat a run by its seed. */
function dice(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = dice(Number(seed) + Number(round) * 7919);

const HOUR = 3_600_000;
const jump = quiet ? 0 : [0, 0, HOUR, -HOUR][Math.floor(random() * 4)];
const start = Date.now();
const wall = () =>
  Date.UTC(2030, 0, 1) + (Date.now() - Date.UTC(2026, 0, 1)) + (Date.now() - start) * FASTER + jump;
const dispatchClock = {
  now: wall,
  elapsed: () => performance.now() * FASTER,
  after(ms, listener) {
    const timer = setTimeout(listener, ms / FASTER);
    return () => clearTimeout(timer);
  },
};

const core = await createCore({
  dataDir: folder,
  databaseUrl: process.env.HEADWATER_DATABASE_URL ?? null,
  vendor: { header: ['SVC'], mediaType: 'service' },
  log: {
    info() {},
    warn() {},
    error: (fields, text) =>
      process.env.HEADWATER_TEST_LOUD && process.stderr.write(`${text} ${fields.err?.stack}\n`),
  },
  webhooks: { allow: ['127.0.0.0/8'] },
  dispatchClock,
  now: () => new Date(wall()),
});

const { storage } = core.operations;
if (!quiet) {
  const write = storage.write.bind(storage);
  storage.write = (work) => {
    const at = random();
    if (at < 0.05) return Promise.reject(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }));
    if (at > 0.95)
      return write(async (tx) => {
        await work(tx);
        // All was written, and then the disk was full.
        throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
      });
    return write(work);
  };
}

const call = manageCall(core, project);

/** Until it works: what was refused was not done, so it can be asked again. */
async function insist(...request) {
  for (;;) {
    try {
      return await call(...request);
    } catch (error) {
      // What the caller of the API would read as 507 carries the refusal of the database as its cause.
      const { code } = error.cause ?? error;
      if (!code?.startsWith?.('SQLITE')) throw error;
    }
  }
}

/** Publishes an item over and over. */
async function publish(item) {
  const path = `/items/external-id/${item}`;
  const variant = `${path}/variants/codename/default`;
  await insist('PUT', path, { name: item, type: { codename: 'piece' }, sitemap_locations: [] });
  for (let turn = 0; ; turn++) {
    const elements = [{ element: { codename: 'title' }, value: `${turn}` }];
    await insist('PUT', variant, { elements });
    await insist('PUT', `${variant}/publish`);
    report({ item, turn });
    await insist('PUT', `${variant}/new-version`);
  }
}

report({ ready: true });
if (quiet) {
  await core.webhooks.settled();
  const left = async () =>
    (
      await core.operations.storage.sql.get(
        `SELECT count(*) AS count FROM webhook_progress p JOIN webhook_lane l ON l.number = p.lane
       WHERE p.head IS NOT NULL OR EXISTS (SELECT 1 FROM webhook_event e WHERE e.project = l.project AND e.number > p.cursor)`,
      )
    ).count;
  while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  await core.close();
} else for (let writer = 0; writer < WRITERS; writer++) void publish(`r${round}-w${writer}`);
