import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { startManaged } from '../management/managed-service.ts';
import type { RenameOrder } from '../renaming-service.ts';
import { median } from '../rounds.ts';
import { freePort, serviceSettings } from '../service.ts';
import { FIRST_ROW, queryOf } from './listings.ts';

/** Each waits for a job over all items, so there are fewer of them than rounds elsewhere. */
const RENAMES = 3;
const LONGEST_MS = 120_000;
const NAMES = ['summary', 'lead_text'] as const;

/** The element `summary` of all types gets another codename: when do readers see it? */
export const elementRename: Measure = {
  name: 'element-rename',
  about: 'an element that all items carry is renamed: time until readers see it, and until the job is done',
  async run({ datasets, large, progress }: Bench) {
    const dataset = await datasets.twin(await datasets.of(large));
    const port = await freePort();
    const service: Child<RenameOrder, void> = startChild('renaming-service.ts', {
      environment: serviceSettings(dataset.folder, port),
    });
    await service.ask({ do: 'start' });
    const base = `http://127.0.0.1:${port}/delivery/${dataset.project}/items`;
    const seen = new Map<string, number[]>();
    const slower: number[] = [];
    const note = (what: string, milliseconds: number) =>
      seen.set(what, [...(seen.get(what) ?? []), milliseconds / 1000]);
    const [from, to] = NAMES;
    /** Reads the whole listing, which shows the former name. */
    const readAlone = () => untilShown({ url: base, from: to, to: from, began: performance.now() });
    // The code of a service that has just started is slow.
    await readAlone();
    for (let round = 0; round < RENAMES; round++) {
      const alone = await readAlone();
      note('that listing to its end, without the job', alone.read);
      const began = performance.now();
      await service.ask({ do: 'rename', project: dataset.project, from, to });
      note('the operation', performance.now() - began);
      const settled = service.ask({ do: 'settle' }).then(() => note('the job', performance.now() - began));
      const until = (path: string) => untilShown({ url: base + path, from, to, began });
      const [page, item, listing] = await Promise.all([
        until(`?${queryOf(FIRST_ROW)}`),
        until('/item_7'),
        until(''),
        settled,
      ]);
      note('a page shows it', page.shown);
      note('a single item shows it', item.shown);
      note('a fresh unlimited listing shows it', listing.shown);
      note('that listing to its end', listing.read);
      slower.push(listing.read / alone.read);
      progress(`  ${from} → ${to}: job done after ${seen.get('the job')?.at(-1)?.toFixed(1)} s`);
      const again = performance.now();
      await service.ask({ do: 'rename', project: dataset.project, from: to, to: from });
      await service.ask({ do: 'settle' });
      note('the job, without readers', performance.now() - again);
    }
    await service.ask({ do: 'stop' });
    await service.end();
    const figure = (what: string, target?: number): Figure => ({
      name: what,
      value: median(seen.get(what) ?? []),
      unit: 's',
      ...(target !== undefined && { target: { atMost: target } }),
    });
    return [
      figure('a page shows it', 1),
      figure('a single item shows it', 1),
      figure('a fresh unlimited listing shows it', 1),
      {
        ...figure('that listing to its end'),
        detail: 'read while the job runs; every item has the new name',
      },
      figure('that listing to its end, without the job'),
      {
        name: 'that listing ÷ without the job',
        value: median(slower),
        unit: '×',
        spread: [Math.min(...slower), Math.max(...slower)],
        target: { atMost: 2 },
      },
      figure('the operation'),
      { ...figure('the job'), detail: `${dataset.items} items, drafts included` },
      figure('the job, without readers'),
    ];
  },

  /** One type of a small project, through the management API: `run` renames all types in one transaction of core. */
  async compare({ datasets }: Bench) {
    const service = await startManaged(await datasets.twin(await datasets.of(1000)));
    // Linked items are of other types, which keep the name.
    const page = service.itemsPath(queryOf({ ...FIRST_ROW, depth: '0' }));
    const url = `http://127.0.0.1:${service.port}${page}`;
    let [from, to]: readonly [string, string] = NAMES;
    return {
      async 'article, until a page shows it'() {
        await service.settled();
        const began = performance.now();
        await service.call('PATCH', '/types/codename/article', [
          { op: 'replace', path: `/elements/codename:${from}/codename`, value: to },
        ]);
        const { shown } = await untilShown({ url, from, to, began });
        [from, to] = [to, from];
        return { milliseconds: shown };
      },
    };
  },
};

/**
 * Reads until an answer has the new codename in every item.
 *
 * @returns milliseconds since `began` when the first item of that answer had come, and what reading it took
 */
async function untilShown(wanted: {
  readonly url: string;
  readonly from: string;
  readonly to: string;
  readonly began: number;
}): Promise<{ readonly shown: number; readonly read: number }> {
  const { url, from, to, began } = wanted;
  while (performance.now() - began < LONGEST_MS) {
    const asked = performance.now();
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
    if (answer.status !== 200 || !answer.body) throw new Error(`${url} answered ${answer.status}.`);
    let shown: number | undefined;
    let old = false;
    let tail = '';
    for await (const chunk of answer.body) {
      const text = tail + Buffer.from(chunk).toString('latin1');
      if (text.includes(`"${from}":{`)) old = true;
      if (shown === undefined && text.includes(`"${to}":{`)) shown = performance.now() - began;
      if (old) break;
      tail = text.slice(-to.length - from.length);
    }
    if (!old && shown !== undefined) return { shown, read: performance.now() - asked };
  }
  throw new Error(`${url} still shows the old name after ${LONGEST_MS / 1000} s.`);
}
