import { setTimeout } from 'node:timers/promises';
import type { Bench, Measure } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { start } from '../processes.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { freePort } from '../service.ts';
import { startParts, startReceiver } from './parts.ts';
import { receive } from './publish-delays.ts';
import { startPublishing } from './publishing-service.ts';
import type { QueueOrder, QueueReply } from './queue.ts';

const WEBHOOKS = 50;
const EVENTS = 300;
/** Webhooks of the built service, where each event takes two calls. */
const COMPARED = 20;

/** Everything that is promised (durable, in order, signed, recorded) against the client alone, and against a queue. */
export const throughput: Measure = {
  name: 'throughput',
  about: `notifications/s over ${WEBHOOKS} webhooks ÷ a bare loop of got; ÷ BullMQ with got on a real Redis`,
  async run(bench: Bench) {
    const parts = await startParts(bench);
    const urls = parts.urls('healthy', WEBHOOKS);
    const project = await parts.project(urls);
    const port = await freePort();
    const folder = await bench.datasets.folder('redis');
    start(
      'redis-server',
      [
        '--port',
        `${port}`,
        '--dir',
        folder,
        '--save',
        '',
        '--appendonly',
        'yes',
        '--appendfsync',
        'everysec',
      ],
      { stdio: 'ignore' },
    );
    await setTimeout(500);
    const queue: Child<QueueOrder, QueueReply> = startChild('webhooks/queue.ts');
    await queue.ask({ do: 'open', port });
    const each = bench.requests(EVENTS);
    const found = await takeTurns(bench.rounds, {
      ours: async () => (await parts.sender.ask({ do: 'drain', project, events: each })).perSecond!,
      bare: async () => (await parts.sender.ask({ do: 'bare', urls, each })).perSecond!,
      queue: async () => (await queue.ask({ do: 'drain', urls, each })).perSecond,
    });
    const detail = (other: readonly number[]) =>
      `${median(found.ours).toFixed(0)} and ${median(other).toFixed(0)} a second`;
    return [
      {
        name: 'notifications/s ÷ bare loop',
        ...compared(found.ours, found.bare),
        unit: '×' as const,
        target: { atLeast: 0.95 },
        detail: detail(found.bare),
      },
      {
        name: 'notifications/s ÷ BullMQ',
        ...compared(found.ours, found.queue),
        unit: '×' as const,
        target: { atLeast: 1.25 },
        detail: detail(found.queue),
      },
    ];
  },

  /** A backlog that grew while the webhooks were disabled. */
  async compare({ datasets, requests }: Bench) {
    const receiver = await startReceiver();
    const service = await startPublishing(datasets, 'throughput', receiver.urls('healthy', COMPARED));
    await service.publish();
    await receive(receiver, COMPARED);
    const events = requests(EVENTS);
    const all = (state: 'enable' | 'disable') =>
      Promise.all(service.webhooks.map((id) => service.call('PUT', `/webhooks/${id}/${state}`)));
    return {
      async [`${events} events at ${COMPARED} webhooks`]() {
        await all('disable');
        for (let event = 0; event < events; event++) {
          await service.newVersion();
          await service.publish();
        }
        await all('enable');
        const times = [...(await receive(receiver, events * COMPARED)).values()].flat();
        const took = times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b));
        return { perSecond: (times.length / took) * 1000 };
      },
    };
  },
};
