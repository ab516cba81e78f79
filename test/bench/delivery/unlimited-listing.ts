import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { type Memory, memoryOf } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import type { ReadOrder, ReadReply } from '../stream-readers.ts';
import { FIRST_ROW, fetchListing } from './listings.ts';

const SAMPLE_MS = 20;
const SLOW_READERS = { readers: 4, bytesPerSecond: 256 * 1024 };
/** By then the buffers between us and a slow reader are full. */
const SETTLE_MS = 1500;
const MEGABYTE = 1024 * 1024;

/** Does a listing of everything take bounded memory, and leave other requests fast? */
export const unlimitedListing: Measure = {
  name: 'unlimited-listing',
  about:
    'all items in one answer: growth of memory, and p99 of other requests beside four slow readers ÷ idle',
  async run(bench: Bench) {
    return [...(await memoryGrowth(bench)), await besideSlowReaders(bench)];
  },

  // Growth of memory needs a new service for each turn and is near zero in most: a ratio of it has no meaning.
  async compare({ datasets, load, requests }: Bench) {
    const service = await startService(await datasets.of(5000));
    const { path } = await fetchListing(service, FIRST_ROW, 20);
    const reader: Child<ReadOrder, ReadReply> = startChild('stream-readers.ts');
    const all = { port: service.port, path: service.itemsPath('') };
    return {
      async '5,000 items in one answer'() {
        return { seconds: (await reader.ask({ read: 'fast', ...all })).seconds };
      },
      async 'others beside four slow readers'() {
        await reader.ask({ read: 'slow', ...all, ...SLOW_READERS });
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        const order = { port: service.port, path, connections: 1, requests: requests(1500) };
        const { p50, p99 } = await load.run(order);
        await reader.ask({ read: 'stop' });
        return { p50, p99 };
      },
    };
  },
};

async function memoryGrowth({ datasets, load, rounds, large, requests, progress }: Bench): Promise<Figure[]> {
  const dataset = await datasets.of(large);
  const growth: Memory[] = [];
  const reads: ReadReply[] = [];
  const reader: Child<ReadOrder, ReadReply> = startChild('stream-readers.ts');
  // A service of its own each time: memory that one listing allocated would be part of the next one's start.
  for (let round = 0; round < rounds; round++) {
    const service = await startService(dataset);
    const page = await fetchListing(service, FIRST_ROW, 20);
    await load.run({ port: service.port, path: page.path, connections: 4, requests: requests(3000) });
    const before = memoryOf(service.pid);
    const watch = watchMemory(service);
    reads.push(await reader.ask({ read: 'fast', port: service.port, path: service.itemsPath('') }));
    const top = watch.stop();
    growth.push({ total: top.total - before.total, anonymous: top.anonymous - before.anonymous });
    progress(`  round ${round + 1}: ${mb(growth.at(-1)!.total)} MB from ${mb(before.total)} MB`);
    await service.end();
  }
  await reader.end();
  const seconds = median(reads.map((read) => read.seconds));
  const detail = `${mb(reads[0]!.bytes)} MB in ${seconds.toFixed(1)} s`;
  return [
    {
      name: `growth of resident memory, ${large.toLocaleString('en')} items`,
      value: median(growth.map(({ total }) => total)) / MEGABYTE,
      unit: 'MB',
      target: { atMost: 64 },
      detail,
    },
    {
      name: 'of it anonymous',
      value: median(growth.map(({ anonymous }) => anonymous)) / MEGABYTE,
      unit: 'MB',
    },
  ];
}

async function besideSlowReaders({ datasets, load, rounds, large, requests }: Bench): Promise<Figure> {
  const service = await startService(await datasets.of(large));
  const page = await fetchListing(service, FIRST_ROW, 20);
  const readers: Child<ReadOrder, ReadReply> = startChild('stream-readers.ts');
  const p99 = async () =>
    (await load.run({ port: service.port, path: page.path, connections: 1, requests: requests(1500) })).p99;
  const rates: number[] = [];
  const found = await takeTurns(rounds, {
    idle: p99,
    async beside() {
      await readers.ask({ read: 'slow', port: service.port, path: service.itemsPath(''), ...SLOW_READERS });
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const found = await p99();
      const { bytes, seconds } = await readers.ask({ read: 'stop' });
      rates.push(bytes / seconds / SLOW_READERS.readers / 1024);
      return found;
    },
  });
  return {
    name: 'p99 of others beside four slow readers ÷ idle',
    ...compared(found.beside, found.idle),
    unit: '×',
    target: { atMost: 5 },
    detail: `${median(found.beside).toFixed(2)} ms ÷ ${median(found.idle).toFixed(2)} ms; readers took ${median(rates).toFixed(0)} KB/s each, buffers included`,
  };
}

function watchMemory({ pid }: Service): { stop(): Memory } {
  let top: Memory = memoryOf(pid);
  const sample = () => {
    const now = memoryOf(pid);
    top = { total: Math.max(top.total, now.total), anonymous: Math.max(top.anonymous, now.anonymous) };
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return top;
    },
  };
}

const mb = (bytes: number) => (bytes / MEGABYTE).toFixed(0);
