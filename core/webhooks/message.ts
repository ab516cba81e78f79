/**
 * What one notification says, as a plain record: it crosses to the worker tier as it is. All of it is fixed at
 * the commit of the change, so rendering it again gives the same bytes.
 */
import { createHash } from 'node:crypto';
import type { EventOperation, EventType } from './event-kinds.ts';

/** A published variant that the change affects. */
export interface AffectedItem {
  readonly id: string;
  readonly codename: string;
  /** Codename of the language. */
  readonly language: string;
  /** Codename of the content type. */
  readonly type: string;
}

/** A variant that was moved to another step of the workflow; ids. */
export interface MovedItem {
  readonly item: string;
  readonly language: string;
  readonly from: string;
  readonly to: string;
}

export interface AffectedTaxonomy {
  readonly id: string;
  readonly codename: string;
}

export interface Message {
  /** GUID; the same on every attempt. */
  readonly id: string;
  readonly type: EventType;
  readonly operation: EventOperation;
  readonly apiName: 'delivery_production' | 'content_management';
  readonly projectId: string;
  /** ISO with 7 fraction digits: when the change was committed. */
  readonly created: string;
  readonly url: string;
  readonly items: readonly (AffectedItem | MovedItem)[];
  readonly taxonomies: readonly AffectedTaxonomy[];
}

/** What was rendered into a body; headers repeat what is in it, so it is enough to send it once more. */
export function messageOfBody(body: string): Message {
  const { message, data } = JSON.parse(body) as {
    message: Record<string, string>;
    data: { items: AffectedItem[]; taxonomies: [] };
  };
  return {
    id: message['id'] ?? '',
    type: message['type'] as EventType,
    operation: message['operation'] as EventOperation,
    apiName: message['api_name'] as Message['apiName'],
    projectId: message['project_id'] ?? '',
    created: message['created_timestamp'] ?? '',
    url: message['webhook_url'] ?? '',
    ...data,
  };
}

/** Affected items in one notification; a change that affects more is told in several. */
export const ITEMS_LIMIT = 1000;

/**
 * The id of the notification that tells `webhook` of `part` of an event (RFC 9562 section 5.5, version 5). Known
 * before it is stored, so that an attempt needs no write before it; random as the event's id is, so that no two
 * notifications share one, also after a restore of older data.
 */
export function messageId(event: string, webhook: string, part: number): string {
  const hash = createHash('sha1')
    .update(Buffer.from(event.replaceAll('-', ''), 'hex'))
    .update(`${webhook}/${part}`)
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
