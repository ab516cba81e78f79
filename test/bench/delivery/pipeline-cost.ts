import { fileURLToPath } from 'node:url';
import { plugins } from '../../../plugins/registry.ts';
import type { Bench, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import { FIRST_ROW, fetchListing, kilobytes, type Listing } from './listings.ts';

const CONNECTIONS = 12;
const ONE_ITEM = { ...FIRST_ROW, limit: '1', depth: '0' };

/** What do ids, logs, metrics, limits and checks cost together? */
export const pipelineCost: Measure = {
  name: 'pipeline-cost',
  about: 'the whole default pipeline ÷ the forward plugin alone, requests/s',
  async run({ datasets, load, rounds, large, requests }: Bench) {
    const dataset = await datasets.of(large);
    const twin = await datasets.twin(dataset);
    const whole = await startService(dataset);
    const alone = await startService(twin, {
      // Health is answered on a surface of its own, and shows when the service is ready.
      PIPELINE__OFF: plugins
        .map(({ name }) => name)
        .filter((name) => name !== 'health')
        .join(','),
      PIPELINE__OWN: fileURLToPath(new URL('forward-alone.mjs', import.meta.url)),
    });
    const figures = [];
    for (const [name, query] of [
      ['a page of 20', FIRST_ROW],
      ['one item', ONE_ITEM],
    ] as const) {
      const pages = {
        whole: await fetchListing(whole, query, Number(query.limit)),
        alone: await fetchListing(alone, query, Number(query.limit)),
      };
      const perSecond = (service: Service, page: Listing) => async () =>
        (
          await load.run({
            port: service.port,
            path: page.path,
            connections: CONNECTIONS,
            requests: requests(3000),
          })
        ).perSecond;
      const found = await takeTurns(rounds, {
        whole: perSecond(whole, pages.whole),
        alone: perSecond(alone, pages.alone),
      });
      figures.push({
        name: `${name}: requests/s ÷ forward alone`,
        ...compared(found.whole, found.alone),
        unit: '×' as const,
        ...(query === FIRST_ROW && { target: { atLeast: 0.8 } }),
        detail: `${median(found.whole).toFixed(0)}/s ÷ ${median(found.alone).toFixed(0)}/s of ${kilobytes(pages.whole.body.length)}`,
      });
    }
    return figures;
  },

  async compare(bench: Bench) {
    const service = await startService(await bench.datasets.of(bench.large));
    const { path } = await fetchListing(service, ONE_ITEM, 1);
    const order = { path, connections: CONNECTIONS, requests: bench.requests(3000) };
    return { 'whole pipeline, one item': loadTurn(bench, service, 'perSecond', order) };
  },
};
