import { hash } from 'node:crypto';

/**
 * Name-based id with the project as namespace: an external id always gives the same id, so an object can be referred to
 * before it exists.
 * @param kind `item`, `asset`, `type` …; one external id may be used once per kind
 */
export function idOfExternalId(projectId: string, kind: string, externalId: string): string {
  return nameBasedId(projectId, `${kind}:${externalId}`);
}

let last = { namespace: '', bytes: Buffer.alloc(0) };

/** The text of a GUID that is being made, and the places of its digits. */
const guid = Buffer.from('00000000-0000-0000-0000-000000000000');
const PLACES = [...guid.keys()].filter((at) => guid[at] !== 0x2d);
/** Place of the version; ids made from external ids have version 5. */
const VERSION_DIGIT = 14;
const VARIANT_DIGIT = 19;

/**
 * RFC 9562 section 5.5, version 5. Digits are put in place one by one: 1.1 instead of 2.1 µs with slices of the hash, and 7 %
 * less CPU time for 30,000 new external ids in one element.
 */
export function nameBasedId(namespace: string, name: string): string {
  if (namespace !== last.namespace)
    last = { namespace, bytes: Buffer.from(namespace.replaceAll('-', ''), 'hex') };
  const hex = hash('sha1', Buffer.concat([last.bytes, Buffer.from(name)]));
  for (let digit = 0; digit < PLACES.length; digit++) guid[PLACES[digit] ?? 0] = hex.charCodeAt(digit);
  guid[VERSION_DIGIT] = '5'.charCodeAt(0);
  guid[VARIANT_DIGIT] = '89ab'.charCodeAt(Number.parseInt(hex.charAt(16), 16) & 0x3);
  return guid.toString('latin1');
}

/** Any GUID in lower case. */
export function isId(text: unknown): text is string {
  return (
    typeof text === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
  );
}

/** Whether the id was made from an external id, so that its object may not exist yet. */
export function isExpectedId(id: unknown): id is string {
  return isId(id) && id[VERSION_DIGIT] === '5';
}
