import { KEY_SLOTS, type KeyKind } from '../../access/key-kinds.ts';
import type { FollowRequest } from '../../changes/gateway-feed.ts';
import type { CoreRequest, Principal, Surface } from '../../http/request.ts';
import type { RequestHead } from '../protocol/wire.ts';
import { Refusal } from './refusal.ts';

const SURFACES: ReadonlySet<unknown> = new Set<Surface>([
  'delivery',
  'preview',
  'manage',
  'assets',
  'admin',
  'console',
]);
const KEY_KINDS: ReadonlySet<unknown> = new Set<KeyKind>([...KEY_SLOTS, 'management']);
const METHOD = /^[A-Z]{1,20}$/;

/** A request whose body follows, if it has one. */
interface RequestWithoutBody {
  readonly request: Omit<RequestHead, 'hasBody'>;
  readonly hasBody: boolean;
}

/**
 * Reads `headwater-head` of a request; the fields of later versions are ignored. Written by hand: a zod schema takes about
 * as long as the parsing of the JSON.
 *
 * @throws Refusal
 */
export function readRequestHead(text: string): RequestWithoutBody {
  const head = parse(text);
  const { surface, method, path, query, headers, bases, principal, requestId } = head;
  const { traceparent, client, known, atLeast, isPlain, hasBody } = head;
  if (
    SURFACES.has(surface) &&
    isText(method) &&
    METHOD.test(method) &&
    isText(path) &&
    path.startsWith('/') &&
    isText(query) &&
    isTexts(headers) &&
    isObject(bases) &&
    isText(bases['self']) &&
    isText(bases['assets']) &&
    isOptionalText(bases['console']) &&
    isPrincipal(principal) &&
    isText(requestId) &&
    isOptionalText(traceparent) &&
    isOptionalText(client) &&
    isKnown(known) &&
    (atLeast === undefined || atLeast === 'now' || isSequence(atLeast)) &&
    (isPlain === undefined || typeof isPlain === 'boolean') &&
    typeof hasBody === 'boolean'
  ) {
    const request: RequestWithoutBody['request'] = {
      surface: surface as Surface,
      method,
      path,
      query,
      headers,
      bases: bases as CoreRequest['bases'],
      principal,
      requestId,
      traceparent,
      ...(client !== undefined && { client }),
      ...(known !== undefined && { known }),
      ...(atLeast !== undefined && { atLeast }),
      ...(isPlain !== undefined && { isPlain }),
    };
    return { request, hasBody };
  }
  throw new Refusal(400, 'The head of the call is no request.');
}

/** @throws Refusal */
export function readFollowRequest(text: string): FollowRequest {
  const { gateway, after, hasStream, canReport } = parse(text);
  const isPosition = isObject(after) && isSequence(after['sequence']) && isText(after['epoch']);
  if (!isText(gateway) || !(after === undefined || isPosition))
    throw new Refusal(400, 'The head of the call names no position of the change feed.');
  return {
    gateway,
    after: after as FollowRequest['after'],
    hasStream: hasStream === true,
    canReport: canReport === true,
  };
}

type Json = Readonly<Record<string, unknown>>;

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {}
  throw new Refusal(400, 'The head of the call is no JSON object.');
}

function isPrincipal(value: unknown): value is Principal {
  if (!isObject(value)) return false;
  const { kind, key, keyKind, user, hash } = value;
  if (kind === 'anonymous' || kind === 'admin') return true;
  if (kind === 'session') return isText(hash) && isOptionalText(user);
  if (kind === 'identity') return isIdentity(value);
  if (kind === 'refused-identity') return isText(value['reason']);
  return kind === 'key' && isText(key) && KEY_KINDS.has(keyKind) && (user === null || isText(user));
}

function isIdentity({
  issuer,
  subject,
  email,
  name,
  isFresh,
  createsUser,
}: Record<string, unknown>): boolean {
  return (
    [issuer, subject, email, name].every(isText) &&
    typeof isFresh === 'boolean' &&
    typeof createsUser === 'boolean'
  );
}

function isKnown(value: unknown): value is CoreRequest['known'] {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { tags, sequence } = value;
  return Array.isArray(tags) && tags.every(isText) && isSequence(sequence);
}

function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false;
  for (const name in value) if (typeof value[name] !== 'string') return false;
  return true;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
