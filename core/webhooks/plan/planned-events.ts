import type { ProjectModel } from '../../model/model.ts';
import type { ChangeDetail, ChangedVariant } from '../../transaction/change-detail.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import type { EventOperation, EventType } from '../event-kinds.ts';
import type { AffectedItem, AffectedTaxonomy, MovedItem } from '../message.ts';
import type { Rule } from './affected.ts';

/** The changes of a transaction. */
export interface TransactionChanges {
  readonly entries: readonly {
    readonly type: string;
    readonly operation: string;
    /** Id; of a variant `item/language`. */
    readonly object: string;
    readonly detail?: ChangeDetail;
  }[];
  /** Stale marks of compiled documents, as `kind:number`. */
  readonly marks: ProjectTransaction['staleMarks'];
  /** The model before the transaction. */
  readonly before: ProjectModel;
  readonly after: ProjectModel;
}

export interface PlannedEvent {
  readonly type: EventType;
  readonly operation: EventOperation;
  readonly items: (AffectedItem | MovedItem)[];
  readonly rules: Rule[];
  readonly taxonomies: AffectedTaxonomy[];
  /** Sent also when no item is affected: readers can see the change itself. */
  always: boolean;
}

export function hasMoved(detail: ChangeDetail | undefined): detail is ChangedVariant {
  return detail !== undefined && 'moved' in detail && detail.moved?.from !== detail.moved?.to;
}

export function addMove(events: Events, detail: ChangeDetail | undefined): void {
  if (!hasMoved(detail) || !detail.moved) return;
  events
    .of('content_item_variant', 'change_workflow_step')
    .items.push({ item: detail.id, language: detail.language.id, ...detail.moved });
}

/** One event per pair of type and operation, in order of occurrence. */
export class Events {
  readonly #byPair = new Map<string, PlannedEvent>();

  get all(): PlannedEvent[] {
    return [...this.#byPair.values()];
  }

  has(type: EventType, operation: EventOperation): boolean {
    return this.#byPair.has(`${type} ${operation}`);
  }

  of(type: EventType, operation: EventOperation): PlannedEvent {
    const key = `${type} ${operation}`;
    const known = this.#byPair.get(key);
    if (known) return known;
    const event: PlannedEvent = { type, operation, items: [], rules: [], taxonomies: [], always: false };
    this.#byPair.set(key, event);
    return event;
  }
}
