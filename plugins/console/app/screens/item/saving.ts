/** What can keep a form from being saved. */
import type { ManagedElement } from './managed.ts';

/** The server has another version than the one the form was made from. */
export class ChangedElsewhere extends Error {}

/**
 * What is in the way until someone decides something: the item, the variant or the language was archived, deleted or
 * deactivated, or the person may not edit it any more.
 */
export type Obstacle = 'item' | 'variant' | 'language' | 'project' | 'forbidden';

export class Obstructed extends Error {
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, cause?: unknown) {
    super(obstacle, { cause });
    this.obstacle = obstacle;
  }
}

export interface Finding {
  /** In the body: `elements[2].value`. */
  readonly path: string;
  readonly message: string;
}

/** The server refused the whole write for values in it. */
export class Refused extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[], cause: unknown) {
    super('', { cause });
    this.findings = findings;
  }
}

/** Something that the server found wrong with one element. */
export interface ElementFinding {
  readonly element: string;
  /** The type has no such element. */
  readonly isUnknown: boolean;
  readonly message: string;
}

/** @returns undefined where a finding is not about an element that was sent */
export function findingsOf(
  { findings }: Refused,
  sent: readonly ManagedElement[],
): readonly ElementFinding[] | undefined {
  const found: ElementFinding[] = [];
  for (const { path, message } of findings) {
    const [, index, rest] = /^elements\[(\d+)\](.*)$/.exec(path) ?? [];
    const element = sent[Number(index)]?.element.id;
    if (element === undefined) return undefined;
    // The name of the element is on its label.
    const text = message.replace(/^The element '[^']*': /, '');
    found.push({ element, isUnknown: rest === '.element', message: text });
  }
  return found.length > 0 ? found : undefined;
}
