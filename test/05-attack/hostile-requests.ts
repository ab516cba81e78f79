/** The most expensive requests that callers without any right, or with a key of their own project, may send. */
import { CATEGORIES, codenameOf, GENERATED_TYPES } from '../../core/generate/generated-model.ts';
import { OPERATORS } from '../support/oracle/filters.ts';
import type { Random } from '../support/random/random.ts';

/** The project that is attacked, and what its callers hold. */
export interface Target {
  readonly project: string;
  readonly items: number;
  readonly previewKey: string;
  readonly managementKey: string;
  /** Paths of images, without parameters. */
  readonly images: readonly string[];
}

export interface HostileRequest {
  readonly kind: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Maker = (random: Random, target: Target) => Omit<HostileRequest, 'kind'>;

/** The longest URL the gateway takes is 65,536 bytes. */
const URL_BYTES = 60_000;
const LANGUAGES = ['en', 'default', 'language-1', 'no-such-language'];
const TEXTS = ['title', 'summary', 'body', 'slug', 'metadata__meta_title', 'metadata__meta_description'];
const ARRAYS = ['category', 'topics', 'related'];
const SYSTEM = ['id', 'name', 'codename', 'type', 'language', 'sitemap_locations', 'last_modified'];
const ORDERS = [
  'rank',
  'published_on',
  ...TEXTS.map((name) => name),
  ...['name', 'codename', 'last_modified', 'type'].map((name) => `system.${name}`),
];

const anyWord = (random: Random) => random.int(0, 2 ** 40).toString(36);
const anyItem = (random: Random, { items }: Target) => `item_${random.int(0, items - 1)}`;
const anyTime = (random: Random) =>
  `${new Date(Date.UTC(2015, 0, 1) + random.int(0, 315_360_000) * 1000).toISOString().slice(0, 19)}Z`;
const percent = (text: string) => encodeURIComponent(text).replace(/%2C/g, ',');

function list(random: Random, bytes: number, member: () => string): string {
  const members: string[] = [];
  for (let length = 0; length < bytes; length += members.at(-1)!.length + 1) members.push(member());
  return random.chance(0.5) ? members.join(',') : [...members, ...members.slice(0, 20)].join(',');
}

/** One condition, as `name[operator]=value`; `bytes` for those that take a list. */
function condition(random: Random, target: Target, bytes = 60): string {
  const kind = random.int(0, 4);
  if (kind === 0) {
    const operator = random.pick(['contains', 'any', 'all', 'empty', 'nempty']);
    const name = `elements.${random.pick(ARRAYS)}`;
    if (operator.endsWith('empty')) return `${name}[${operator}]`;
    const member = () =>
      random.pick([
        random.pick(CATEGORIES),
        `topic_${random.int(0, 9)}_${random.int(0, 4)}`,
        anyWord(random),
      ]);
    return `${name}[${operator}]=${operator === 'contains' ? member() : list(random, bytes, member)}`;
  }
  const numeric = kind === 1;
  const timed = kind === 2;
  const name = numeric
    ? 'elements.rank'
    : timed
      ? random.pick(['elements.published_on', 'system.last_modified'])
      : random.chance(0.25)
        ? `system.${random.pick(SYSTEM)}`
        : `elements.${random.pick(TEXTS)}`;
  const value = () =>
    numeric
      ? String(random.int(0, 100_000) / 4)
      : timed
        ? anyTime(random)
        : random.chance(0.3)
          ? anyItem(random, target)
          : percent(anyWord(random));
  const operator = random.pick(OPERATORS.filter((name) => !['contains', 'any', 'all'].includes(name)));
  if (operator === 'empty' || operator === 'nempty') return `${name}[${operator}]`;
  if (operator === 'in' || operator === 'nin') return `${name}[${operator}]=${list(random, bytes, value)}`;
  if (operator !== 'range') return `${name}[${operator}]=${value()}`;
  const bounds = [value(), value()];
  const rising = numeric ? bounds.sort((a, b) => Number(a) - Number(b)) : bounds.sort();
  return `${name}[range]=${rising.join(',')}`;
}

const conditions = (random: Random, target: Target, most: number) =>
  random.times(1, most, () => condition(random, target));

const order = (random: Random) => {
  const by = random.pick(ORDERS);
  const name = by.startsWith('system.') ? by : `elements.${by}`;
  return `order=${name}[${random.pick(['asc', 'desc'])}]`;
};

const open = (target: Target, path: string, parameters: readonly string[] = []) => ({
  path: `/delivery/${target.project}/${path}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`,
  headers: {},
});

/** Every condition checks every row. */
const sameElement: Maker = (random, target) =>
  open(target, 'items', [
    'limit=1',
    'includeTotalCount=true',
    ...Array.from({ length: 200 }, () => `elements.title[neq]=${anyWord(random)}`),
  ]);

const filters: Maker = (random, target) =>
  open(target, 'items', [
    'limit=1',
    'includeTotalCount=true',
    ...conditions(random, target, random.pick([3, 20, 60, 200])),
  ]);

const orders: Maker = (random, target) =>
  open(target, 'items', [
    order(random),
    `limit=${random.pick([1, 25, 100])}`,
    ...random.times(0, 3, () => condition(random, target)),
  ]);

const skips: Maker = (random, target) =>
  open(target, 'items', [
    order(random),
    `skip=${random.int(0, target.items)}`,
    'limit=100',
    'depth=0',
    ...(random.chance(0.3) ? [`language=${random.pick(LANGUAGES)}`] : []),
  ]);

const totals: Maker = (random, target) =>
  open(target, 'items', [
    'includeTotalCount=true',
    'limit=1',
    `skip=${random.int(0, 2_147_483_647)}`,
    ...conditions(random, target, 6),
  ]);

const depths: Maker = (random, target) =>
  random.chance(0.3)
    ? open(target, `items/${anyItem(random, target)}`, [`depth=${random.int(5, 2_147_483_647)}`])
    : open(target, 'items', [
        `depth=${random.int(5, 40)}`,
        `limit=${random.int(50, 1000)}`,
        `skip=${random.int(0, target.items)}`,
      ]);

const languages: Maker = (random, target) =>
  open(target, 'items', [
    `language=${random.pick(LANGUAGES)}`,
    `system.language[${random.pick(['eq', 'neq'])}]=${random.pick(LANGUAGES)}`,
    `limit=${random.int(1, 500)}`,
    order(random),
  ]);

const projections: Maker = (random, target) =>
  open(target, 'items', [
    `elements=${list(random, random.pick([40, 2000, URL_BYTES]), () => random.pick([...TEXTS, ...ARRAYS, anyWord(random)]))}`,
    `limit=${random.int(1, 1000)}`,
    `depth=${random.int(0, 5)}`,
  ]);

const lists: Maker = (random, target) =>
  open(target, 'items', [
    'limit=1',
    'includeTotalCount=true',
    random.pick([
      () => `system.codename[in]=${list(random, URL_BYTES, () => anyItem(random, target))}`,
      () => `elements.title[nin]=${list(random, URL_BYTES, () => anyWord(random))}`,
      () =>
        `elements.topics[any]=${list(random, URL_BYTES, () => `topic_${random.int(0, 9)}_${random.int(0, 4)}`)}`,
      () =>
        `elements.topics[all]=${list(random, 1500, () => `topic_${random.int(0, 9)}_${random.int(0, 4)}`)}`,
      () => `elements.related[nin]=${list(random, URL_BYTES, () => anyItem(random, target))}`,
    ])(),
  ]);

/** Everything in one answer. */
const streams: Maker = (random, target) =>
  open(target, 'items', [
    ...(random.chance(0.4) ? [`depth=${random.int(0, 4)}`] : []),
    ...(random.chance(0.4) ? [order(random)] : []),
    ...(random.chance(0.3) ? ['elements=title'] : []),
    ...(random.chance(0.3) ? ['includeTotalCount=true'] : []),
    ...(random.chance(0.3) ? [condition(random, target)] : []),
  ]);

const feeds: Maker = (random, target) =>
  open(target, 'items-feed', [
    ...(random.chance(0.6) ? [order(random)] : []),
    ...random.times(0, 40, () => condition(random, target)),
  ]);

const models: Maker = (random, target) => {
  const type = codenameOf(random.pick(GENERATED_TYPES));
  const path = random.pick([
    'types',
    'taxonomies',
    'languages',
    `types/${type}`,
    `types/${type}/elements/title`,
  ]);
  return open(target, path, ['includeTotalCount=true']);
};

/** The same request repeatedly, past every cache. */
const waiting: Maker = (random, target) => ({
  ...open(target, `items/${anyItem(random, target)}`, ['depth=5']),
  headers: { 'X-SVC-Wait-For-Loading-New-Content': 'true' },
});

const preview: Maker = (random, target) => {
  const { path } = random.pick([filters, orders, skips, totals, depths, streams, feeds, lists])(
    random,
    target,
  );
  return {
    path: path.replace('/delivery/', '/preview/'),
    headers: { Authorization: `Bearer ${target.previewKey}` },
  };
};

const management: Maker = (random, target) => {
  const project = `/manage/${random.pick(['v1', 'v2', 'v2'])}/projects/${target.project}`;
  const item = `items/codename/${anyItem(random, target)}`;
  const path = random.pick([
    'items',
    'assets',
    item,
    `${item}/variants`,
    `${item}/variants/codename/language-1`,
  ]);
  return { path: `${project}/${path}`, headers: { Authorization: `Bearer ${target.managementKey}` } };
};

const managedModel: Maker = (random, target) => ({
  path: `/manage/v2/projects/${target.project}/${random.pick(['types', 'taxonomies', 'snippets', 'languages', 'workflow', 'folders', 'webhooks'])}`,
  headers: { Authorization: `Bearer ${target.managementKey}` },
});

const images: Maker = (random, target) => {
  const parameters = [
    `w=${random.int(1, 4000)}`,
    ...(random.chance(0.7) ? [`h=${random.int(1, 4000)}`] : []),
    `fit=${random.pick(['clip', 'scale', 'crop'])}`,
    `fm=${random.pick(['png', 'jpg', 'webp', 'gif', 'pjpg', 'png8'])}`,
    ...(random.chance(0.3) ? ['lossless=1', `q=${random.int(1, 100)}`, `dpr=${random.int(1, 5)}`] : []),
  ];
  return { path: `${random.pick(target.images)}?${parameters.join('&')}`, headers: {} };
};

export const HOSTILE_REQUESTS = {
  sameElement,
  filters,
  orders,
  skips,
  totals,
  depths,
  languages,
  projections,
  lists,
  streams,
  feeds,
  models,
  waiting,
  preview,
  management,
  managedModel,
  images,
} as const satisfies Readonly<Record<string, Maker>>;

export type HostileKind = keyof typeof HOSTILE_REQUESTS;
export const HOSTILE_KINDS = Object.keys(HOSTILE_REQUESTS) as HostileKind[];

export function hostileRequest(kind: HostileKind, random: Random, target: Target): HostileRequest {
  return { kind, ...HOSTILE_REQUESTS[kind](random, target) };
}

/** As bytes of HTTP/1.1. */
export function requestBytes({ path, headers }: HostileRequest, connection = 'keep-alive'): string {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\nConnection: ${connection}\r\n${more.join('')}\r\n`;
}
