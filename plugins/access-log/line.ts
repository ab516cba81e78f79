import { type ProcessIdentity, roundedMilliseconds } from '../../core/contract.ts';
import type { Exchange, SurfaceFacet } from '../contract.ts';
import { requestPath } from '../http/request-path.ts';

const LONGEST_PATH = 2048;

/** What JSON has to escape, and half surrogate pairs. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** What lines of requests for the same URL have in common. */
interface Common {
  readonly url: string;
  readonly method: string;
  readonly text: string;
}

/** The gateway has one surface facet for each URL. */
const commons = new WeakMap<SurfaceFacet, Common>();

/**
 * The line of one request, joined from few and large parts: 0.25 µs, where `JSON.stringify` of the same object
 * takes 1.3 µs. The path has no query, because it may contain tokens and personal data.
 *
 * @param origin as `originFields` makes it
 */
export function accessLine({ req, state }: Exchange, time: Date, origin: string): string {
  const { surface, client, outcome, requestId, trace } = state;
  let line = beginning(time) + origin;
  if (requestId !== undefined) line += `,"id":${text(requestId)}`;
  if (trace !== undefined) line += `,"trace":"${trace}"`;
  line += common(surface, req.method ?? '', req.url ?? '/');
  line += outcome.status;
  if (outcome.bytes !== undefined) line += `,"bytes":${outcome.bytes}`;
  line += `,"ms":${roundedMilliseconds(outcome.milliseconds)}`;
  if (outcome.cache !== undefined) line += `,"cache":"${outcome.cache}"`;
  if (outcome.upstreamMilliseconds !== undefined) {
    line += `,"upstream_ms":${roundedMilliseconds(outcome.upstreamMilliseconds)}`;
  }
  if (outcome.limiter !== undefined) line += `,"limiter":"${outcome.limiter}"`;
  if (outcome.key !== undefined) line += `,"key":${text(outcome.key)}`;
  line += `,"client":${text(client.address)}`;
  return outcome.aborted ? `${line},"aborted":true}\n` : `${line}}\n`;
}

/** The fields that name the process; empty for the only process of an installation. */
export function originFields({ role, instance }: ProcessIdentity): string {
  return role === 'all' ? '' : `,"role":"${role}","instance":${text(instance)}`;
}

function common(surface: SurfaceFacet, method: string, url: string): string {
  const before = commons.get(surface);
  if (before?.url === url && before.method === method) return before.text;
  const path = requestPath(url);
  const shown = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  const parts = `,"surface":"${surface.name}","method":${text(method)},"path":${text(shown)},"status":`;
  // In one piece: text that was added up stays a tree of its parts, which each write traverses again.
  const made = Buffer.from(parts).toString();
  commons.set(surface, { url, method, text: made });
  return made;
}

function text(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

let lastTime = Number.NaN;
let lastText = '';

/** `toISOString` costs 0.4 µs; many requests share a millisecond. */
function beginning(time: Date): string {
  const at = time.getTime();
  if (at !== lastTime) {
    lastTime = at;
    lastText = `{"log":"access","time":"${time.toISOString()}"`;
  }
  return lastText;
}
