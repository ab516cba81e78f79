import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { publishedItem } from '../gateway/published-item.ts';
import { upload } from '../images/image-service.ts';
import { photograph, SOURCE } from '../images/sources.ts';
import type { LoadOrder } from '../load-client.ts';
import { makeItems, upsertOf } from '../management/upserts.ts';
import { childrenOf, cpuMilliseconds } from '../process-usage.ts';
import { startReceiver } from '../webhooks/parts.ts';
import { addWebhook, LOOPBACK_WEBHOOKS } from '../webhooks/publishing-service.ts';
import { startCluster } from './cluster.ts';
import { startDatabases } from './databases.ts';

const CONNECTIONS = 8;
const WRITERS = 64;
const WEBHOOKS = 10;
const PUBLISHES = 30;
const DRAIN_MS = 20_000;

/** What one request costs each process: the numbers of "How far it scales" in config/README.md. */
export const requestCpu: Measure = {
  name: 'request-cpu',
  about: `a gateway, a core on PostgreSQL: CPU of gateway, core, image hosts and database for a cached item, an uncached page, a write, an image and a notification; writes/s of ${WRITERS} writers by one and by two cores`,
  async run({ datasets, load, requests }: Bench): Promise<readonly Figure[]> {
    const databases = await startDatabases(datasets, [1000]);
    const { dataset, settings } = await databases.of(1000);
    const off = { PIPELINE__OFF: 'rate-limit' };
    const cluster = await startCluster(datasets, dataset, {
      cores: 2,
      settings: { ...off, ...LOOPBACK_WEBHOOKS, ...settings },
    });
    const [first] = cluster.cores;
    const oneCore = await cluster.addGateway([first!]);
    const service = await cluster.managed();
    await makeItems(service);
    const item = await publishedItem(service, dataset);

    const cpu = () => {
      const cores = cluster.cores.map(({ pid }) => pid);
      const sum = (pids: readonly number[]) => pids.reduce((all, pid) => all + cpuMilliseconds(pid), 0);
      return {
        gateway: sum(cluster.gateways.map(({ pid }) => pid)),
        core: sum(cores),
        images: sum(cores.flatMap(childrenOf)),
        database: databases.cpu(),
      };
    };
    const figures: Figure[] = [];
    const cost = async (name: string, count: number, work: () => Promise<unknown>): Promise<void> => {
      const before = cpu();
      await work();
      const after = cpu();
      const each = (part: keyof typeof after) => (after[part] - before[part]) / count;
      const parts = (['gateway', 'core', 'images', 'database'] as const).map(
        (part) => `${part} ${each(part).toFixed(3)}`,
      );
      const value = each('gateway') + each('core') + each('images') + each('database');
      figures.push({ name, value, unit: 'ms CPU', detail: `${parts.join(', ')} ms, of ${count}` });
    };
    const read = async (name: string, path: string, full: number) => {
      const order: LoadOrder = {
        port: oneCore.port,
        path,
        connections: CONNECTIONS,
        requests: requests(full),
      };
      await load.run({ ...order, requests: Math.ceil(order.requests / 4) });
      await cost(name, order.requests, () => load.run(order));
    };
    await read('a cached item', item.path, 30_000);
    await read('an uncached page of 20', oneCore.itemsPath('limit=20&skip={n%900}&depth=1'), 900);
    const write: LoadOrder = { port: oneCore.port, ...upsertOf(service), requests: requests(900) };
    await load.run(write);
    await cost('a write of ten elements, 8 writers', write.requests, () => load.run(write));

    const photo = await (await photograph(SOURCE.width, SOURCE.height)).jpeg().toBuffer();
    const image = await upload({ ...service, port: oneCore.port }, 'photo.jpg', 'image/jpeg', photo);
    await read('an image, 2000 × 1333 to 400 wide', `${image}?w=400&q={n%89+10}&h={n+100}`, 90);

    const receiver = await startReceiver();
    const publish = async () => {
      for (let count = 0; count < PUBLISHES; count += 1) await item.publish(`Version ${count}`);
    };
    await publish();
    await cost('a publish without webhooks (three calls)', PUBLISHES, publish);
    for (const url of receiver.urls('healthy', WEBHOOKS)) await addWebhook(service, url);
    await receiver.child.ask({ do: 'take' });
    const wanted = PUBLISHES * WEBHOOKS;
    await cost(`the same with ${WEBHOOKS} notifications`, PUBLISHES, async () => {
      await publish();
      let received = 0;
      for (const ends = performance.now() + DRAIN_MS; received < wanted && performance.now() < ends; ) {
        await pause(50);
        received += (await receiver.child.ask({ do: 'take' })).received.length;
      }
      if (received < wanted) throw new Error(`${received} of ${wanted} notifications arrived.`);
    });

    const [both] = cluster.gateways;
    for (const [name, port] of [
      ['one core', oneCore.port],
      ['two cores', both!.port],
    ] as const) {
      const many = { ...write, port, connections: WRITERS, requests: requests(6000) };
      await load.run({ ...many, requests: WRITERS * 4 });
      const { perSecond } = await load.run(many);
      figures.push({
        name: `writes/s of ${WRITERS} writers, ${name}`,
        value: perSecond,
        unit: 'items/s',
        detail: 'each is a commit in the one order',
      });
    }
    return figures;
  },
  compare: { leftOut: 'an earlier version has no PostgreSQL' },
};
