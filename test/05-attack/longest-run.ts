import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { isLongForm } from '../support/long-form.ts';
import { leastOf } from '../support/measure/least-of.ts';
import { LONGEST_ALLOWED_MS } from '../support/measure/longest-allowed.ts';
import { withoutSlowMemory } from '../support/measure/new-memory.ts';
import type { AttackService } from './attack-service.ts';

/** Most CPU time that the main thread may use without yielding, in milliseconds. */
export const MOST_MS = LONGEST_ALLOWED_MS;

/** What takes longer is work that yields; then the client disconnects. */
const TIMEOUT_MS = isLongForm ? 5000 : 400;
/** Bodies are read to their end: the longest took 3 s, and a busy machine multiplies that. */
const TIMEOUT_WITH_BODY_MS = 60_000;

export interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface Run {
  readonly what: string;
  /** Undefined when the client disconnected. */
  readonly status: number | undefined;
  readonly milliseconds: number;
}

/** Sends it and measures the longest run of the main thread until it is answered, or cancelled. */
export const longestRunOf = (service: AttackService, sent: Sent, name: string): Promise<Run> =>
  leastOf(LONGEST_ALLOWED_MS, () => measure(service, sent, name));

async function measure(service: AttackService, sent: Sent, name: string): Promise<Run> {
  await service.longestRun();
  // An array of numbers takes four times its text, which grows in one step.
  const newBytes = 4 * (sent.body?.length ?? 0);
  const outcome = await answerTo(service, sent).then(
    ({ status, length }) => ({ status, text: `${status} with ${length} bytes` }),
    (error: Error) => ({ status: undefined, text: error.name }),
  );
  return {
    what: `${name}: ${sent.method ?? 'GET'} ${sent.path.slice(0, 300)}, ${outcome.text}`,
    status: outcome.status,
    milliseconds: withoutSlowMemory(await service.longestRun(), LONGEST_ALLOWED_MS, newBytes),
  };
}

/** Without `fetch`: one that is aborted while it decompresses a body may never settle (Node 20.20). */
async function answerTo(
  service: AttackService,
  { path, method = 'GET', headers, body }: Sent,
): Promise<{ readonly status: number | undefined; readonly length: number }> {
  const asked = request(`${service.url}${path}`, {
    method,
    headers: {
      'accept-encoding': 'gzip, deflate, br',
      ...(body && {
        'content-type': 'application/json',
        authorization: `Bearer ${service.attacked.managementKey}`,
      }),
      ...headers,
    },
    signal: AbortSignal.timeout(body ? TIMEOUT_WITH_BODY_MS : TIMEOUT_MS),
  });
  // The answer that is read tells of an error after its head.
  asked.on('error', () => {});
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, length: (await buffer(answer)).length };
}

/** Prints the longest runs, and fails if one is beyond the bound. */
export function expectShortRuns(runs: readonly Run[], seed: number): void {
  const sorted = [...runs].sort((one, other) => other.milliseconds - one.milliseconds);
  const written = sorted.map(
    ({ what, milliseconds }) => `      ${milliseconds.toFixed(1).padStart(7)} ms  ${what}`,
  );
  console.log(written.slice(0, isLongForm ? 10 : 1).join('\n'));
  const beyond = sorted.filter(({ milliseconds }) => milliseconds > MOST_MS).length;
  expect(
    beyond,
    `HEADWATER_TEST_SEED=${seed}\n${written.slice(0, Math.min(beyond, 40)).join('\n')}`,
  ).to.equal(0);
}
