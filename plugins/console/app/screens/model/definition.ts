/** A content type or snippet as the management API has it, and as it is edited. */

export interface Reference {
  readonly id: string;
}

/** A member of a list that has an order. New ones have an id of their own until they are saved. */
export interface Member {
  readonly id: string;
  readonly name?: string;
  readonly codename: string;
}

export interface Named extends Member {
  readonly name: string;
}

export const KINDS = [
  'text',
  'rich_text',
  'number',
  'date_time',
  'multiple_choice',
  'asset',
  'modular_content',
  'taxonomy',
  'url_slug',
  'custom',
  'guidelines',
  'snippet',
] as const;
export type Kind = (typeof KINDS)[number];

export const COUNT_CONDITIONS = ['at_most', 'exactly', 'at_least'] as const;

export interface CountLimit {
  readonly value: number;
  readonly condition: (typeof COUNT_CONDITIONS)[number];
}

export interface TextLimit {
  readonly value: number;
  readonly applies_to: 'words' | 'characters';
}

/** What elements have; which of it depends on the kind. */
export interface ElementSettings {
  readonly guidelines?: string | null;
  readonly is_required?: boolean;
  readonly content_group?: Reference;
  readonly maximum_text_length?: TextLimit | null;
  readonly allowed_content_types?: readonly Reference[];
  readonly maximum_image_size?: number | null;
  readonly maximum_file_size?: number | null;
  readonly allowed_image_types?: 'any' | 'adjustable';
  readonly allowed_file_types?: 'any' | 'adjustable';
  readonly image_width_limit?: CountLimit | null;
  readonly image_height_limit?: CountLimit | null;
  readonly asset_count_limit?: CountLimit | null;
  readonly item_count_limit?: CountLimit | null;
  readonly term_count_limit?: CountLimit | null;
  readonly mode?: 'single' | 'multiple';
  readonly options?: readonly Named[];
  readonly taxonomy_group?: Reference;
  readonly depends_on?: { readonly element: Reference; readonly snippet?: Reference };
  readonly source_url?: string;
  readonly json_parameters?: string | null;
  readonly allowed_elements?: readonly Reference[];
  readonly snippet?: Reference;
}

export interface Element extends Member, ElementSettings {
  readonly type: Kind;
}

export interface Definition {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly last_modified?: string;
  /** Of types only. */
  readonly content_groups?: readonly Named[];
  readonly elements: readonly Element[];
}

const COMMON = ['guidelines', 'is_required', 'content_group'] as const;
const IMAGES = ['image_width_limit', 'image_height_limit'] as const;
const TEXT = ['maximum_text_length'] as const;

/** The settings of each kind that can change. */
export const SETTINGS: Readonly<Record<Kind, readonly (keyof ElementSettings)[]>> = {
  text: [...COMMON, ...TEXT],
  rich_text: [
    ...COMMON,
    ...TEXT,
    'allowed_content_types',
    'maximum_image_size',
    'allowed_image_types',
    ...IMAGES,
  ],
  number: COMMON,
  date_time: COMMON,
  multiple_choice: [...COMMON, 'mode'],
  asset: [...COMMON, 'asset_count_limit', 'maximum_file_size', 'allowed_file_types', ...IMAGES],
  modular_content: [...COMMON, 'item_count_limit', 'allowed_content_types'],
  taxonomy: [...COMMON, 'term_count_limit'],
  url_slug: [...COMMON, 'depends_on'],
  custom: [...COMMON, 'source_url', 'json_parameters', 'allowed_elements'],
  guidelines: ['guidelines', 'content_group'],
  snippet: ['content_group'],
};

/** What is chosen when an element is made, and stays. */
export const FIXED: Readonly<Partial<Record<Kind, keyof ElementSettings>>> = {
  taxonomy: 'taxonomy_group',
  snippet: 'snippet',
};

/** The only kinds without name and codename in forms. */
export function isNamed(kind: Kind): boolean {
  return kind !== 'guidelines' && kind !== 'snippet';
}

export function isNew({ id }: { readonly id: string }): boolean {
  return id.startsWith('new:');
}

/** An id for what is not saved yet. Of no other one, also where an edit is taken over from a closed page. */
export function newId(): string {
  return `new:${crypto.randomUUID()}`;
}

const LONGEST = 60;

/** The codename that the service would make of a name, and another one where it is taken. */
export function codenameOf(name: string, taken: Iterable<string>): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9_]/gu, '_');
  const base = (/^[0-9]/.test(plain) ? `n${plain}` : plain).slice(0, LONGEST);
  const others = new Set(taken);
  if (!others.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const suffix = `_${number}`;
    const candidate = base.slice(0, LONGEST - suffix.length) + suffix;
    if (!others.has(candidate)) return candidate;
  }
}

/** The list with a member before another one; at the end where there is none. */
export function moved<T extends { readonly id: string }>(
  list: readonly T[],
  id: string,
  before: string | undefined,
): readonly T[] {
  const member = list.find((one) => one.id === id);
  if (!member || id === before) return list;
  const others = list.filter((one) => one.id !== id);
  const at = others.findIndex((one) => one.id === before);
  return at < 0 ? [...others, member] : [...others.slice(0, at), member, ...others.slice(at)];
}

/** The elements in a tab; those without a group are in the first one. */
export function elementsIn(
  { content_groups = [], elements }: Definition,
  group: string | undefined,
): readonly Element[] {
  const [first] = content_groups;
  if (!first) return elements;
  const known = new Set(content_groups.map(({ id }) => id));
  return elements.filter(({ content_group }) => {
    const own = content_group && known.has(content_group.id) ? content_group.id : first.id;
    return own === group;
  });
}
