import { z } from 'zod';
import { requirePermission } from '../access/permissions.ts';
import { endPresence, listPresence, reportPresence } from '../access/presence.ts';
import { changedObjects } from '../changes/changed-objects.ts';
import { listChangedJobs } from '../jobs/jobs.ts';
import { timestamp } from '../storage/timestamp.ts';
import { type ConsoleAnswer, type ConsoleCall, requireGateway, signedIn } from './call.ts';

/** Of writes: their queue is bounded. */
const SHARE = 'presence';
/** Jobs that went on in this time are listed once the clock was set back, ms: gateways look every 2 s. */
const LOOK_BACK_MS = 10_000;

/** In any case, as in paths. */
const guid = z.guid().toLowerCase();

export const PRESENCE = z.strictObject({
  tab: guid.describe('Names a tab of a browser.'),
  project: guid,
  item: guid,
  language: guid,
  element: z.string().max(200).nullable().describe('Codename of the element that has the focus.'),
});

/** For the event stream of gateways: what was changed after a position, by anyone. */
export async function listChanges(call: ConsoleCall): Promise<ConsoleAnswer> {
  requireGateway(call);
  const epoch = call.query.get('epoch');
  const after = epoch === null ? undefined : { epoch, sequence: Number(call.query.get('sequence')) };
  return { status: 200, body: await changedObjects(call.services.reader.sql, after) };
}

/** For the event stream of gateways: what is not in the change log, the persons at work and the progress of jobs. */
export async function listActivity(call: ConsoleCall): Promise<ConsoleAnswer> {
  requireGateway(call);
  const { sql } = call.services.reader;
  const now = call.now();
  const given = call.query.get('since') ?? timestamp(now);
  const since = Date.parse(given) > now.getTime() ? timestamp(now.getTime() - LOOK_BACK_MS) : given;
  const [presence, jobs] = await Promise.all([
    listPresence(sql, now),
    listChangedJobs(sql, since, timestamp(now)),
  ]);
  return { status: 200, body: { presence, jobs, until: jobs.at(-1)?.updated ?? since } };
}

/** The person has a variant open. */
export async function putPresence(call: ConsoleCall): Promise<ConsoleAnswer> {
  const person = signedIn(call);
  const presence = await call.body(PRESENCE);
  await requirePermission(call.services.reader.sql, person, presence.project, 'view-content');
  await call.services.storage.write(
    (tx) => reportPresence({ tx }, person.account, presence),
    SHARE,
    () => call.signal?.throwIfAborted(),
  );
  return { status: 204 };
}

/** The person has closed what the tab showed. */
export async function deletePresence(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { account } = signedIn(call);
  await call.services.storage.write((tx) => endPresence({ tx }, account, call.at('tab')), SHARE);
  return { status: 204 };
}
