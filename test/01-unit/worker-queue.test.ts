import { expect } from 'chai';
import type { Failure, Request, Result } from '../../workers/protocol/messages.ts';
import type { Connection } from '../../workers/tier/connection.ts';
import { WorkerQueue } from '../../workers/tier/worker-queue.ts';
import { planOf } from '../support/images/worker-tier.ts';
import { until } from '../support/until.ts';

const AWAITED_MS = 60_000;

/** A worker on another machine that can be lost. */
class FakeWorker {
  isAway = false;
  attempts = 0;
  #lose: (reason: string) => void = () => {};
  /** Ids of tasks that run. */
  readonly #running: number[] = [];
  /** What it was sent, in order. */
  readonly requests: Request[] = [];
  #answer: (answer: Result | Failure, bytes: Uint8Array) => void = () => {};

  async open(): Promise<Connection> {
    this.attempts += 1;
    if (this.isAway) throw new Error('it cannot be reached');
    return {
      concurrency: 1,
      pid: null,
      isRemote: true,
      send: (request) => {
        this.#running.push(request.id);
        this.requests.push(request);
      },
      onAnswer: (listener) => {
        this.#answer = listener;
      },
      onClose: (listener) => {
        this.#lose = listener;
      },
      end() {},
    };
  }

  get isRunning(): boolean {
    return this.#running.length > 0;
  }

  answer(): void {
    const id = this.#running.shift() ?? 0;
    this.#answer({ kind: 'result', id, record: 'done', gaps: [], resident: 0 }, new Uint8Array());
  }

  lose(): void {
    this.isAway = true;
    this.#lose('its connection was cut');
  }
}

describe('a queue of several workers', () => {
  it('awaits the last one for as long as the first, which was lost long ago', async () => {
    const { now } = performance;
    let later = 0;
    performance.now = () => now.call(performance) + later;
    const workers = [new FakeWorker(), new FakeWorker()] as const;
    const [one, other] = workers;
    const queue = new WorkerQueue({
      slots: workers.map((worker) => () => worker.open()),
      waiting: 64,
      milliseconds: 600_000,
      idleMilliseconds: 600_000,
      keptBytes: 0,
      longestPause: 1,
      awaitedMilliseconds: AWAITED_MS,
      onLost() {},
    });
    const run = () => queue.run('image-transform', { source: Buffer.from('image'), plan: planOf() });
    try {
      const both = [run(), run()];
      await until(() => one.isRunning && other.isRunning);
      for (const worker of workers) worker.answer();
      expect(await Promise.all(both)).to.deep.equal(['done', 'done']);
      other.lose();
      later += 2 * AWAITED_MS;
      one.lose();
      const waiting = run();
      await until(() => one.attempts + other.attempts > 12);
      expect(queue.refusal()).to.equal(undefined);
      other.isAway = false;
      await until(() => other.isRunning);
      other.answer();
      expect(await waiting).to.equal('done');
    } finally {
      queue.close();
      performance.now = now;
    }
  });
});

/** A queue of one worker, which runs one task at a time. */
function oneWorker(fail: () => boolean = () => false) {
  const worker = new FakeWorker();
  const queue = new WorkerQueue({
    slots: [async () => (fail() ? Promise.reject(new Error('not yet')) : worker.open())],
    waiting: 64,
    milliseconds: 600_000,
    idleMilliseconds: 600_000,
    keptBytes: 0,
    longestPause: 1,
    awaitedMilliseconds: 0,
    onLost() {},
  });
  const run = (id: string, source?: string) =>
    queue.run(
      'image-transform',
      { source: new Uint8Array(), plan: planOf() },
      { origin: { id }, ...(source !== undefined && { source }) },
    );
  return { worker, queue, run };
}

describe('a queue of one worker', () => {
  it('keeps the order of waiting tasks when the worker did not start', async () => {
    let attempts = 0;
    const { worker, queue, run } = oneWorker(() => ++attempts === 1);
    const ids = ['a', 'b', 'c', 'd'];
    const all = ids.map((id) => run(id));
    for (const _ of ids) {
      await until(() => worker.isRunning);
      worker.answer();
    }
    await Promise.all(all);
    expect(attempts).to.equal(2);
    expect(worker.requests.map(({ origin }) => origin?.id)).to.deep.equal(ids);
    queue.close();
  });
});

describe('a queue of tasks that read the same', () => {
  it('lets no source starve while others keep arriving, faster than they are done', async () => {
    const { worker, queue, run } = oneWorker();
    const all = Array.from({ length: 12 }, (_, at) => run(`page ${at}`, 'page'));
    for (let step = 0; step < 20; step += 1) {
      await until(() => worker.isRunning);
      all.push(run(`new ${2 * step}`, `new ${2 * step}`), run(`new ${2 * step + 1}`, `new ${2 * step + 1}`));
      worker.answer();
    }
    for (let done = 20; done < all.length; done += 1) {
      await until(() => worker.isRunning);
      worker.answer();
    }
    await Promise.all(all);
    const sent = worker.requests.map(({ origin }) => origin?.id);
    // Of 40 others, which would all have been in front of it.
    expect(sent.indexOf('page 11')).to.be.below(40);
    // Another waits for one turn of the page.
    expect(sent.indexOf('new 0')).to.be.below(6);
    queue.close();
  });

  it('lets sources take turns, and tells the worker which tasks share one', async () => {
    const { worker, queue, run } = oneWorker();
    // Ten of one page, then others.
    const all = [
      ...Array.from({ length: 10 }, (_, at) => run(`page ${at}`, 'page')),
      run('single', 'single'),
      run('unnamed'),
      run('pair 0', 'pair'),
      run('pair 1', 'pair'),
    ];
    for (let done = 0; done < all.length; done++) {
      await until(() => worker.isRunning);
      worker.answer();
    }
    await Promise.all(all);
    const sent = worker.requests.map(({ origin, sharesSource }) =>
      sharesSource ? `${origin?.id}, shared` : origin?.id,
    );
    const page = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `page ${from + at}, shared`);
    expect(sent).to.deep.equal([
      ...page(0, 4),
      'single',
      'unnamed',
      'pair 0, shared',
      'pair 1',
      ...page(4, 9),
      'page 9',
    ]);
    queue.close();
  });
});
