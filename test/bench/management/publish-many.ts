import type { Bench, Measure } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import type { Dataset } from '../datasets.ts';
import type { RawOrder, RawReply } from '../raw-writer.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { LANGUAGE, type ManagedService, startManaged } from './managed-service.ts';

/** As many as one call may have. */
const PUBLISHED = 1000;

/** A thousand items published by one call, against the database alone. */
export const publishMany: Measure = {
  name: 'publish-many',
  about:
    'publishing of 1,000 items by one call: items/s ÷ the same rows written by the database alone, in one transaction',
  async run({ datasets, rounds }: Bench) {
    const dataset = await datasets.twin(await datasets.of(PUBLISHED));
    const copy = await datasets.copy(dataset, 'raw');
    const service = await startManaged(dataset);
    const raw: Child<RawOrder, RawReply> = startChild('raw-writer.ts');
    await raw.ask({ do: 'open', over: copy, like: 'generated-%' });
    const found = await takeTurns(rounds, {
      call: async () => (PUBLISHED / (await publishAll(service, dataset))) * 1000,
      raw: async () => (await raw.ask({ do: 'publish', items: PUBLISHED })).perSecond,
    });
    await raw.end();
    return [
      {
        name: `${PUBLISHED} items published ÷ raw`,
        ...compared(found.call, found.raw),
        unit: '×',
        target: { atLeast: 0.5 },
        detail: `${median(found.call).toFixed(0)} and ${median(found.raw).toFixed(0)} items a second`,
      },
    ];
  },

  async compare({ datasets }: Bench) {
    const dataset = await datasets.twin(await datasets.of(PUBLISHED));
    const service = await startManaged(dataset);
    return {
      [`${PUBLISHED} items`]: async () => ({ milliseconds: await publishAll(service, dataset) }),
    };
  },
};

/** Makes drafts of all items, then publishes them. @returns the milliseconds of the call that publishes */
async function publishAll(service: ManagedService, { published, items }: Dataset): Promise<number> {
  const objects = Array.from({ length: items }, (_, index) => index)
    // The generator leaves each fiftieth a draft.
    .filter((index) => index % 50 !== 49)
    .slice(0, published)
    .map((index) => ({ item: { external_id: `generated-${index}` }, language: { id: LANGUAGE } }));
  const project = `projects/${service.project}`;
  await service.admin(`${project}/acts/unpublish`, { objects });
  await service.settled();
  const began = performance.now();
  await service.admin(`${project}/publish`, { variants: objects });
  const took = performance.now() - began;
  const answer = await fetch(
    `http://127.0.0.1:${service.port}${service.itemsPath('limit=1&includeTotalCount=true')}`,
  );
  const { pagination } = (await answer.json()) as { readonly pagination: { readonly total_count: number } };
  if (pagination.total_count !== published)
    throw new Error(`${pagination.total_count} of ${published} items are published.`);
  return took;
}
