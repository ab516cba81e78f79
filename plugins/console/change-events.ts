/** The change log as events of a stream. */
import type { ChangedObject, FeedPosition } from '../../core/contract.ts';
import type { EventRights } from './event-rights.ts';
import { eventText } from './event-stream.ts';

/** Changes that decide what people see, as far as they are not of one person. */
const OF_ALL: ReadonlySet<string> = new Set(['role', 'project']);
const OF_ONE: ReadonlySet<string> = new Set(['user', 'session']);
/** Operations on projects that happen again and again, and change nothing of that. */
const HARMLESS: ReadonlySet<string> = new Set(['import', 'recompile']);

/** Those of one commit and project, in order. */
export function grouped(
  changes: readonly ChangedObject[],
): Iterable<readonly [ChangedObject, ...ChangedObject[]]> {
  const groups = new Map<string, [ChangedObject, ...ChangedObject[]]>();
  for (const change of changes) {
    if (change.kind === 'session') continue;
    const name = `${change.sequence} ${change.project}`;
    const group = groups.get(name);
    if (group) group.push(change);
    else groups.set(name, [change]);
  }
  return groups.values();
}

/** One event; empty where the rights permit to see none of it. */
export function changeText(
  group: readonly [ChangedObject, ...ChangedObject[]],
  rights: EventRights,
  id: string,
): string {
  const seen = group.filter((change) => rights.seesChange(change));
  if (seen.length === 0) return '';
  const [{ sequence, project }] = group;
  const changes = seen.map(({ kind, operation, id: object, actor }) => ({
    kind,
    operation,
    id: object,
    actor,
  }));
  const tags =
    project === null || rights.seesAll(project) ? [...new Set(seen.flatMap((change) => change.tags))] : [];
  return eventText('change', { sequence, project, changes, tags }, id);
}

/** Whether a person may see other things after the changes, or their session may have ended. */
export function isAffected(account: string, changes: readonly ChangedObject[]): boolean {
  return changes.some(
    ({ kind, operation, id }) =>
      (OF_ALL.has(kind) && !HARMLESS.has(operation)) || (OF_ONE.has(kind) && id === account),
  );
}

export function idOf({ epoch, sequence }: FeedPosition): string {
  return `${epoch}.${sequence}`;
}

/** @returns undefined for what is no id of an event */
export function positionOf(id: string): FeedPosition | undefined {
  const [, epoch, sequence] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(id) ?? [];
  return epoch === undefined ? undefined : { epoch, sequence: Number(sequence) };
}
