import { modelTexts } from '../../messages/model.ts';
import { type Definition, type Element, type Member, SETTINGS } from './definition.ts';
import { isDifferent, stayingIds } from './definition-patch.ts';
import { flatNodes, stayingNodes, type Tree } from './tree.ts';

/** What differs between two states, in sentences. */
export function definitionChanges(before: Definition, after: Definition): string[] {
  const { changes } = modelTexts();
  return [
    ...memberChanges(changes.self, before, after),
    ...listChanges(changes.group, before.content_groups ?? [], after.content_groups ?? []),
    ...listChanges(changes.element, before.elements, after.elements, elementChanges),
  ];
}

export function treeChanges(what: string, before: Tree, after: Tree): string[] {
  const [old, now] = [flatNodes(before.nodes), flatNodes(after.nodes)];
  return [
    ...memberChanges(modelTexts().changes.self, before, after),
    ...listChanges(what, old, now, undefined, stayingNodes(before, after)),
  ];
}

function elementChanges(before: Element, after: Element): string[] {
  const { changes, settings } = modelTexts();
  const changed = SETTINGS[after.type].filter((name) => isDifferent(before[name], after[name]));
  return [
    ...(changed.length > 0
      ? [changes.settings(changes.element, nameOf(after), changed.map((name) => settings[name]).join(', '))]
      : []),
    ...listChanges(changes.option, before.options ?? [], after.options ?? []),
  ];
}

function listChanges<T extends Member>(
  what: string,
  before: readonly T[],
  after: readonly T[],
  inner: (before: T, after: T) => readonly string[] = () => [],
  staying = stayingIds(before, after),
): string[] {
  const { changes } = modelTexts();
  const old = new Map(before.map((member) => [member.id, member]));
  const now = new Set(after.map(({ id }) => id));
  return [
    ...before.filter(({ id }) => !now.has(id)).map((member) => changes.removed(what, nameOf(member))),
    ...after.flatMap((member) => {
      const known = old.get(member.id);
      if (!known) return [changes.added(what, nameOf(member))];
      return [
        ...memberChanges(what, known, member),
        ...(!staying.has(member.id) ? [changes.moved(what, nameOf(member))] : []),
        ...inner(known, member),
      ];
    }),
  ];
}

function memberChanges(what: string, before: Omit<Member, 'id'>, after: Omit<Member, 'id'>): string[] {
  const { changes } = modelTexts();
  return [
    ...(before.name !== after.name ? [changes.renamed(what, nameOf(before), nameOf(after))] : []),
    ...(before.codename !== after.codename
      ? [changes.codename(what, nameOf(after), before.codename, after.codename)]
      : []),
  ];
}

function nameOf({ name, codename }: Omit<Member, 'id'>): string {
  return name || codename;
}
