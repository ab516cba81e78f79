import type { Measure } from '../benchmark.ts';
import { startCached } from './cached-service.ts';
import { publishedItem } from './published-item.ts';

const ENTRIES = 10_000;
const AT_ONCE = 16;

/** Many answers are cached and one item is published: how many stay fresh? */
export const publishOne: Measure = {
  name: 'publish-one',
  about: '10,000 cached answers (80 % items, 20 % listings by type), one item published: still fresh',
  async run({ datasets, requests }) {
    const dataset = await datasets.of(10_000);
    const service = await startCached(await datasets.copy(dataset, 'publish-one'), {
      PLUGINS__RESPONSE_CACHE__SURROGATE_KEYS: 'true',
      PLUGINS__RESPONSE_CACHE__MAX_BYTES: '1073741824',
    });
    const base = `http://127.0.0.1:${service.port}/delivery/${dataset.project}`;
    const json = async (path: string) => (await fetch(base + path)).json();
    const { types } = (await json('/types')) as { types: { system: { codename: string } }[] };
    const singles = Math.floor(requests(ENTRIES) * 0.8);
    const paths: string[] = [];
    for (let skip = 0; paths.length < singles; skip += 200) {
      const { items } = (await json(`/items?elements=rank&depth=0&limit=200&skip=${skip}`)) as {
        items: { system: { codename: string } }[];
      };
      if (items.length === 0) break;
      paths.push(...items.map(({ system }) => `/items/${system.codename}`));
    }
    paths.length = Math.min(paths.length, singles);
    const listings = requests(ENTRIES) - singles;
    for (let at = 0; at < listings; at += 1) {
      const type = types[at % types.length]!.system.codename;
      const skip = 5 * Math.floor(at / types.length);
      paths.push(`/items?system.type=${type}&limit=5&depth=0&elements=title&skip=${skip}`);
    }
    const fetchPath = async (path: string) => {
      const answer = await fetch(base + path);
      await answer.arrayBuffer();
      const { headers } = answer;
      // Each behind the start of the project's id.
      const tags = (headers.get('surrogate-key') ?? '')
        .split(' ')
        .map((tag) => tag.slice(tag.indexOf('/') + 1));
      return { isHit: headers.get('cache-status') === 'headwater; hit', tags: new Set(tags) };
    };
    async function all() {
      const found: Awaited<ReturnType<typeof fetchPath>>[] = [];
      let next = 0;
      const work = async () => {
        for (let at = next++; at < paths.length; at = next++) found[at] = await fetchPath(paths[at]!);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return found;
    }
    await all();
    const item = await publishedItem(service, dataset);
    const before = await fetchPath(item.path.slice(`/delivery/${dataset.project}`.length));
    await item.publish('Published again');
    const codename = item.path.slice(item.path.lastIndexOf('/') + 1);
    const found = await all();
    // Tags of the item itself and of the lists of its type; its type's own and the project's did not change.
    const own = [...before.tags].filter((tag) => tag.includes(codename));
    const { item: shown } = (await json(`/items/${codename}`)) as { item: { system: { type: string } } };
    const shares = (tags: ReadonlySet<string>) =>
      tags.has('*') ||
      own.some((tag) => tags.has(tag)) ||
      [...tags].some(
        (tag) => tag.startsWith('members') && (tag.endsWith(shown.system.type) || !tag.includes(':')),
      );
    const apart = found.filter(({ tags }) => !shares(tags));
    const share = (list: typeof found) => list.filter(({ isHit }) => isHit).length / list.length;
    return [
      {
        name: 'fresh among those that share no tag',
        value: share(apart),
        unit: '×',
        target: { atLeast: 1 },
        detail: `${apart.length} of ${found.length}`,
      },
      { name: 'fresh among all', value: share(found), unit: '×', target: { atLeast: 0.9 } },
    ];
  },

  compare: { leftOut: 'its figure is a share of answers with an exact target, not a speed' },
};
