/** Of each request. */
import { expect } from 'chai';
import { conforms } from '../../support/clients/openapi-conformance.ts';
import type { Sent } from '../clients/sent.ts';
import type { Evidence } from './evidence.ts';

/** Most that a message lists. */
const LISTED = 3;
/** 400: a writer does not know whether its last call took effect. 404: not yet published. 429: the greedy key. */
const EXPECTED: Readonly<Record<string, readonly number[]>> = {
  delivery: [401, 404, 503],
  manage: [400, 429, 503],
  admin: [503],
  assets: [503],
};
const DISK_FULL = 507;
const FULL = /^(disk|PostgreSQL disk|PostgreSQL log) full$/;
/** What a gateway answers to a request that does not arrive within this time: it knows no URL, so no surface. */
const NOT_ARRIVED = 408;
const ARRIVES_WITHIN_MS = 15_000;
const ANY_SURFACE = ['message', 'request_id', 'error_code', 'specific_code'];
const HELD = /^connections to gateways (silent|slow)$/;
/** What stands between clients and core, whose time a request waits for as well. */
const IN_FRONT = /^(nginx stalled|gateway stalled|connections to gateways (silent|slow))$/;

/** Otherwise the other checks would show nothing. */
export function checkClients({ items, reads, imports, images, keys, sent, limited }: Evidence): void {
  const counts = {
    publishes: items.flatMap(({ publishes }) => publishes).length,
    reads: reads.length,
    imports: imports.length,
    uploads: images.uploads.length,
    images: images.reads.length,
    keys: keys.length,
    limited: sent.filter(({ url, answer }) => url.endsWith(limited.path) && answer?.status === 200).length,
  };
  for (const [name, count] of Object.entries(counts)) expect(count, name).to.be.at.least(1);
}

export function checkDeadlines({ sent, faults, linesWith }: Evidence): void {
  const late = sent.filter(
    ({ began, ended, busy, deadline }) =>
      ended - began >= deadline + busy + faults.within(began, ended, IN_FRONT),
  );
  expectNone(late, ({ began, ended, busy, deadline, answer }) => {
    const id = answer?.headers['x-request-id'];
    const time = `${(ended - began).toFixed(0)} ms of ${deadline}, ${busy.toFixed(0)} without a CPU, ${answer?.status}`;
    return [time, ...(id ? linesWith(id) : [])].join('\n');
  });
}

export function checkStatuses({ sent, faults }: Evidence): void {
  const unexpected = sent.filter(
    ({ surface, method, answer, began, ended }) =>
      answer &&
      answer.status >= 400 &&
      !EXPECTED[surface]?.includes(answer.status) &&
      !(answer.status === DISK_FULL && method !== 'GET' && faults.within(began, ended, FULL) > 0) &&
      !(answer.status === NOT_ARRIVED && faults.within(began, ended, HELD) >= ARRIVES_WITHIN_MS),
  );
  expectNone(unexpected, ({ answer }) => `${answer?.status} ${answer?.body}`);
}

export function checkErrorBodies({ sent }: Evidence): void {
  const findings = new Map<Sent, string>();
  for (const one of sent) {
    if (one.answer === undefined || one.answer.status < 400) continue;
    try {
      if (one.answer.status === NOT_ARRIVED) expect(JSON.parse(one.answer.body)).to.have.keys(...ANY_SURFACE);
      else conforms({ method: one.method, url: one.url, ...one.answer }, one.surface);
    } catch (error) {
      findings.set(one, (error as Error).message);
    }
  }
  expectNone([...findings.keys()], (one) => findings.get(one)!);
}

function expectNone(found: readonly Sent[], describe: (one: Sent) => string): void {
  const lines = found
    .slice(0, LISTED)
    .map((one) => `${one.method} ${one.url} through ${one.via}: ${describe(one)}`);
  expect(found.length, lines.join('\n')).to.equal(0);
}
