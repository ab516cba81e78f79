import type { Language, ProjectModel } from '../../content/model.ts';
import type { EventOperation, EventType } from '../event-kinds.ts';
import type { AffectedItem, AffectedTaxonomy, MovedItem } from '../message.ts';
import type { Rule } from './affected.ts';

/** Of a variant, what a notification says. */
export interface ChangedVariant {
  readonly id: string;
  readonly codename: string;
  /** Codename of its type. */
  readonly type: string;
  readonly language: Pick<Language, 'id' | 'codename' | 'isActive'>;
  /** Ids of the steps of the workflow it was moved between. */
  readonly moved?: { readonly from: string; readonly to: string };
}

/** Of an asset: ids of the languages in which readers see something else now. */
export interface ChangedLanguages {
  readonly languages: readonly string[];
}

/** What is known of a change beside its entry in the log. */
export type About = ChangedVariant | ChangedLanguages;

/** What a transaction did, as its session took note of it. */
export interface Happened {
  readonly entries: readonly {
    readonly type: string;
    readonly operation: string;
    /** Id; of a variant `item/language`. */
    readonly object: string;
    readonly about?: About;
  }[];
  /** What compiled documents are out of date for, as `kind:number`. */
  readonly marks: ReadonlySet<string>;
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
  /** Told also where it affects no item: readers can tell all the same. */
  always: boolean;
}

export function hasMoved(about: About | undefined): about is ChangedVariant {
  return about !== undefined && 'moved' in about && about.moved?.from !== about.moved?.to;
}

export function addMove(events: Events, about: About | undefined): void {
  if (!hasMoved(about) || !about.moved) return;
  events
    .of('content_item_variant', 'change_workflow_step')
    .items.push({ item: about.id, language: about.language.id, ...about.moved });
}

/** One for each pair of type and operation, in the order in which they came up. */
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
