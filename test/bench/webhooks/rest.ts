import type { Bench, Measure } from '../benchmark.ts';
import { startParts } from './parts.ts';

const IDLE = 1000;
const BACKLOG = 1_000_000;
const QUEUES = 20;
const MB = 1024 * 1024;

export const rest: Measure = {
  name: 'rest',
  about: `queries while ${IDLE} webhooks have no events`,
  async run(bench: Bench) {
    const parts = await startParts(bench);
    await parts.project(parts.urls('healthy', IDLE));
    const { count = 0 } = await parts.sender.ask({ do: 'rest', ms: 10_000 });
    return [
      {
        name: `queries in 10 s, ${IDLE} idle webhooks`,
        value: count,
        unit: 'queries' as const,
        target: { atMost: 0 },
      },
    ];
  },

  compare: { leftOut: 'it counts queries inside of core, and its target is none' },
};

export const backlog: Measure = {
  name: 'backlog',
  about: `memory while a backlog of ${BACKLOG} is sent (a tenth of it in a quick run)`,
  async run(bench: Bench) {
    const parts = await startParts(bench);
    const project = await parts.project(parts.urls('healthy', QUEUES));
    const events = (bench.large === 100_000 ? BACKLOG : BACKLOG / 10) / QUEUES;
    const { memory = [0, 0], perSecond = 0 } = await parts.sender.ask({ do: 'drain', project, events });
    const [tenth, most] = memory;
    return [
      {
        name: 'memory at most ÷ after a tenth',
        value: most / tenth,
        unit: '×' as const,
        target: { atMost: 1.1 },
        detail: `${(tenth / MB).toFixed(0)} and ${(most / MB).toFixed(0)} MB, ${events * QUEUES} at ${perSecond.toFixed(0)} a second`,
      },
    ];
  },

  compare: { leftOut: 'its million events are written by modules of core; over HTTP they take an hour' },
};
