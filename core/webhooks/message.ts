/**
 * The content of one notification as a plain record, passed to the worker tier as it is. The commit of the change
 * fixes all of it, so rendering it again gives the same bytes.
 */
import { nameBasedId } from '../model/external-id.ts';
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

/** A variant that moved to another workflow step; ids. */
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

/** Reads a rendered body; headers repeat its content, so it is enough to send the notification again. */
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

/** Affected items per notification; a change that affects more is reported in several. */
export const ITEMS_LIMIT = 1000;

/**
 * The id of the notification for `webhook` about `part` of an event. It is known before it is stored, so an attempt needs no write before it. It is as random as the event's id, so no two
 * notifications share one, also after a restore of older data.
 */
export function messageId(event: string, webhook: string, part: number): string {
  return nameBasedId(event, `${webhook}/${part}`);
}
