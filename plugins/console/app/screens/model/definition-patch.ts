import {
  type Definition,
  type Element,
  type ElementSettings,
  FIXED,
  isNamed,
  isNew,
  type Member,
  type Named,
  SETTINGS,
} from './definition.ts';

/** An operation of a PATCH of the management API. */
export interface Operation {
  readonly op: 'addInto' | 'move' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: unknown;
  readonly before?: object;
  readonly after?: object;
}

/**
 * The operations that make the edited definition of the one that was read. Parts are named by id, so that what others
 * changed meanwhile in other parts stays.
 */
export function definitionPatch(before: Definition, after: Definition): Operation[] {
  const refer = referring(after);
  const groups = [before.content_groups ?? [], after.content_groups ?? []] as const;
  return [
    ...named('', before, after),
    ...removed('/content_groups', ...groups),
    ...removed('/elements', before.elements, after.elements),
    ...common(...groups).flatMap(([old, now]) => named(`/content_groups/id:${now.id}`, old, now)),
    ...ordered('/content_groups', ...groups, ({ name, codename }) => ({ name, codename })),
    ...common(before.elements, after.elements).flatMap(([old, now]) => changedElement(old, now, refer)),
    ...ordered('/elements', before.elements, after.elements, (element) => elementInput(element, refer)),
  ];
}

/** The body of a POST. */
export function definitionInput(definition: Definition): object {
  const refer = referring(definition);
  const { name, codename, content_groups: groups, elements } = definition;
  return {
    name,
    codename,
    ...(groups && { content_groups: groups.map(({ name, codename }) => ({ name, codename })) }),
    elements: elements.map((element) => elementInput(element, refer)),
  };
}

/** The name of the element that `validation_errors` of a POST or of the operations are about. */
export function subjectOf(
  path: string,
  { elements }: Definition,
  operations: readonly Operation[],
): string | undefined {
  const [, position, index] = /^(?:elements\[(\d+)\]|\[(\d+)\])/.exec(path) ?? [];
  const operation = operations[Number(index)];
  const codename = (operation?.value as Partial<Element> | undefined)?.codename;
  const element =
    position !== undefined
      ? elements[Number(position)]
      : elements.find((one) =>
          operation?.path === '/elements'
            ? one.codename === codename
            : operation?.path.split('/')[2] === `id:${one.id}`,
        );
  return element?.name || undefined;
}

type Refer = (value: unknown) => unknown;

/** Writes references to new parts by their codename. */
function referring({ content_groups = [], elements }: Definition): Refer {
  const codenames = new Map(
    [...content_groups, ...elements].filter(isNew).map(({ id, codename }) => [id, codename]),
  );
  const refer: Refer = (value) => {
    if (Array.isArray(value)) return value.map(refer);
    if (typeof value !== 'object' || value === null) return value;
    const { id } = value as { readonly id?: unknown };
    if (typeof id === 'string') {
      const codename = codenames.get(id);
      return codename === undefined ? { id } : { codename };
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, refer(inner)]));
  };
  return refer;
}

function changedElement(before: Element, after: Element, refer: Refer): Operation[] {
  const path = `/elements/id:${after.id}`;
  const settings = SETTINGS[after.type].filter((name) => isDifferent(before[name], after[name]));
  const options = [before.options ?? [], after.options ?? []] as const;
  return [
    ...(isNamed(after.type) ? named(path, before, after) : []),
    ...settings.map((name): Operation => {
      const value = refer(after[name] ?? null);
      return { op: 'replace', path: `${path}/${name}`, value };
    }),
    ...removed(`${path}/options`, ...options),
    ...common(...options).flatMap(([old, now]) => named(`${path}/options/id:${now.id}`, old, now)),
    ...ordered(`${path}/options`, ...options, ({ name, codename }) => ({ name, codename })),
  ];
}

/** Both, because the service makes a new codename of a new name otherwise. */
function named(path: string, before: Omit<Member, 'id'>, after: Omit<Member, 'id'>): Operation[] {
  if (before.name === after.name && before.codename === after.codename) return [];
  return [
    { op: 'replace', path: `${path}/name`, value: after.name },
    { op: 'replace', path: `${path}/codename`, value: after.codename },
  ];
}

function removed(path: string, before: readonly Member[], after: readonly Member[]): Operation[] {
  const kept = new Set(after.map(({ id }) => id));
  return before
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => ({ op: 'remove', path: `${path}/id:${id}` }));
}

function common<T extends Member>(before: readonly T[], after: readonly T[]): [T, T][] {
  const known = new Map(before.map((member) => [member.id, member]));
  return after.flatMap((now) => {
    const old = known.get(now.id);
    return old ? [[old, now]] : [];
  });
}

/** Adds new members and moves as few of the others as possible. */
function ordered<T extends Member>(
  path: string,
  before: readonly T[],
  after: readonly T[],
  input: (member: T) => object,
): Operation[] {
  const known = new Set(before.map(({ id }) => id));
  const staying = stayingIds(before, after);
  const reference = (member: Member) => (isNew(member) ? { codename: member.codename } : { id: member.id });
  const first = before.find(({ id }) => after.some((one) => one.id === id));
  return after.flatMap((member, index): Operation[] => {
    if (staying.has(member.id)) return [];
    const previous = after[index - 1];
    const beside = previous
      ? { after: reference(previous) }
      : first && first.id !== member.id
        ? { before: reference(first) }
        : {};
    return known.has(member.id)
      ? [{ op: 'move', path: `${path}/id:${member.id}`, ...beside }]
      : [{ op: 'addInto', path, value: input(member), ...beside }];
  });
}

/** Members that keep their order, as many as possible: the others were moved or are new. */
export function stayingIds(before: readonly Member[], after: readonly Member[]): ReadonlySet<string> {
  const positions = new Map(before.map(({ id }, index) => [id, index]));
  const staying = longestAscending(after.flatMap(({ id }) => positions.get(id) ?? []));
  return new Set(before.flatMap(({ id }, index) => (staying.has(index) ? [id] : [])));
}

/** Members of a longest ascending part of distinct numbers. */
function longestAscending(numbers: readonly number[]): ReadonlySet<number> {
  const ends: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const number of numbers) {
    let at = ends.findIndex((end) => end > number);
    if (at < 0) at = ends.length;
    previous.set(number, ends[at - 1]);
    ends[at] = number;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) found.add(at);
  return found;
}

function elementInput(element: Element, refer: Refer): object {
  const { type, name, codename, options } = element;
  const fixed = FIXED[type];
  const settings: (keyof ElementSettings)[] = [...SETTINGS[type], ...(fixed ? [fixed] : [])];
  return {
    type,
    ...(isNamed(type) && { name }),
    codename,
    ...Object.fromEntries(
      settings.flatMap((key) => {
        const value = element[key];
        return value === undefined || value === null ? [] : [[key, refer(value)]];
      }),
    ),
    ...(options && { options: options.map(({ name, codename }: Named) => ({ name, codename })) }),
  };
}

export function isDifferent(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);
}
