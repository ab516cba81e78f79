import { setTimeout } from 'node:timers/promises';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { median } from '../rounds.ts';
import { startReceiver } from './parts.ts';
import type { SenderOrder, SenderReply } from './sender.ts';

const WEBHOOKS = 50;
const PAUSE = 50;
const LONGEST = 30_000;

/** What waited for its next attempt when the process was killed, and became due while none ran. */
export const retryAfterRestart: Measure = {
  name: 'retry-after-restart',
  about: `start of the process → retries of ${WEBHOOKS} webhooks that became due while none ran`,
  async run(bench: Bench) {
    const { child: receiver, urls } = await startReceiver();
    const folder = await bench.datasets.folder('webhooks-restart');
    const open = async () => {
      const sender: Child<SenderOrder, SenderReply> = startChild('webhooks/sender.ts');
      await sender.ask({ do: 'open', folder });
      return sender;
    };
    let sender = await open();
    const { project = '' } = await sender.ask({ do: 'project', urls: urls('failing', WEBHOOKS) });
    await sender.ask({ do: 'pace', projects: [project], perSecond: 1, seconds: 1 });
    const first: number[] = [];
    const last: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      await sender.ask({ do: 'overdue', webhooks: WEBHOOKS });
      // It handles no signal, so that this kills it.
      await sender.end();
      await receiver.ask({ do: 'take' });
      const began = performance.timeOrigin + performance.now();
      sender = await open();
      const times: number[] = [];
      for (let waited = 0; times.length < WEBHOOKS; waited += PAUSE) {
        if (waited > LONGEST) throw new Error(`${times.length} of ${WEBHOOKS} retries came.`);
        await setTimeout(PAUSE);
        times.push(...(await receiver.ask({ do: 'take' })).received.map(([, , at]) => at - began));
      }
      cpu.push(cpuMilliseconds(sender.pid));
      first.push(Math.min(...times) / 1000);
      last.push(Math.max(...times) / 1000);
    }
    const detail = `${WEBHOOKS} webhooks, ${median(cpu).toFixed(0)} ms CPU until the last`;
    return [figure('the first retry', first, detail, 2), figure('the last retry', last, detail)];
  },

  compare: { leftOut: 'a retry is due after a minute; only modules of core can set its time' },
};

function figure(name: string, seconds: readonly number[], detail: string, atMost?: number): Figure {
  return {
    name: `start of the process → ${name}`,
    value: median(seconds),
    spread: [Math.min(...seconds), Math.max(...seconds)],
    unit: 's',
    ...(atMost !== undefined && { target: { atMost } }),
    detail,
  };
}
