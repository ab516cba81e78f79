/**
 * A core with faults that publishes and notifies webhooks until the process is killed, or with `quiet` until all are sent.
 *
 *     node webhook-publisher.mjs <data folder> <project> <round> <seed> [quiet]
 */
import { startFaultyCore } from './faulty-core.mjs';
import { manageCall } from './manage-call.mjs';

const WRITERS = 3;

const [, , folder, project, round, seed, quiet] = process.argv;
const report = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const core = await startFaultyCore({ folder, round, seed, isQuiet: quiet !== undefined });
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
