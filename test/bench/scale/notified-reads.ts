import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { publishedItem } from '../gateway/published-item.ts';
import { addWebhook, LOOPBACK_WEBHOOKS } from '../webhooks/publishing-service.ts';
import { startCluster } from './cluster.ts';
import { startDatabases } from './databases.ts';
import { shownVersion, WAIT } from './freshness.ts';

const GATEWAYS = 4;
const PUBLISHES = 100;
const NOTIFIED_MS = 10_000;

/** A receiver of a notification reads what it was notified of. */
export const notifiedReads: Measure = {
  name: 'notified-reads',
  about: `a webhook, ${GATEWAYS} gateways of 2 cores on PostgreSQL: reads on receipt of a notification, with and without the wait header`,
  async run({ datasets, requests }: Bench): Promise<readonly Figure[]> {
    const { dataset, settings } = await (await startDatabases(datasets, [1000])).of(1000);
    const options = { gateways: GATEWAYS, cores: 2, settings: { ...LOOPBACK_WEBHOOKS, ...settings } };
    const cluster = await startCluster(datasets, dataset, options);
    const service = await cluster.managed();
    const item = await publishedItem(service, dataset);
    const urls = cluster.gateways.map(({ port }) => `http://127.0.0.1:${port}${item.path}`);
    const receiver = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(204).end();
        receiver.emit('notified');
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    await addWebhook(service, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);

    let missed = 0;
    let slowest = 0;
    let fresh = 0;
    const count = requests(PUBLISHES);
    try {
      for (let version = 0; version < count; version += 1) {
        await item.write(`Version ${version}`);
        const notified = once(receiver, 'notified', { signal: AbortSignal.timeout(NOTIFIED_MS) });
        await Promise.all([item.release(), notified]);
        const received = performance.now();
        await Promise.all(
          urls.flatMap((url) => [
            shownVersion(url, WAIT).then((shown) => {
              if (shown < version) missed += 1;
            }),
            (async () => {
              let reads = 1;
              while ((await shownVersion(url)) < version) reads += 1;
              if (reads === 1) fresh += 1;
              else slowest = Math.max(slowest, performance.now() - received);
            })(),
          ]),
        );
      }
    } finally {
      receiver.close().closeAllConnections();
    }
    return [
      {
        name: 'read with the wait header lacks the change',
        value: missed,
        unit: '×',
        target: { atMost: 0 },
        detail: `${count} notifications, ${GATEWAYS} gateways`,
      },
      {
        name: 'notification received → shown by a plain read, longest',
        value: slowest / 1000,
        unit: 's',
        target: { atMost: 1 },
        detail: `${fresh} of ${count * GATEWAYS} first reads showed it`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no separate gateways' },
};
