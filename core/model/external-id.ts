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

/** RFC 9562 section 5.5, version 5. */
export function nameBasedId(namespace: string, name: string): string {
  if (namespace !== last.namespace)
    last = { namespace, bytes: Buffer.from(namespace.replaceAll('-', ''), 'hex') };
  const hex = hash('sha1', Buffer.concat([last.bytes, Buffer.from(name)]));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Any GUID in lower case. */
export function isId(text: unknown): text is string {
  return (
    typeof text === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
  );
}

/** Position of the version in a GUID; ids made from external ids have version 5. */
const VERSION_DIGIT = 14;

/** Whether the id was made from an external id, so that its object may not exist yet. */
export function isExpectedId(id: unknown): id is string {
  return isId(id) && id[VERSION_DIGIT] === '5';
}
