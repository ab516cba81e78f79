import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { TASKS_PER_HOST } from '../../workers/tier/start-workers.ts';
import {
  failureOf,
  isAlive,
  noiseImage,
  pidsOf,
  planOf,
  priorities,
  slowPlan,
  startTier,
  type TestTier,
} from '../support/images/worker-tier.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { leastOf, leastTimeOf } from '../support/measure/least-of.ts';
import { until } from '../support/until.ts';

const OWNER = join(import.meta.dirname, '../support/images/worker-owner.ts');
const WITHOUT_DESCRIPTORS = join(import.meta.dirname, '../support/images/worker-without-descriptors.ts');

describe('the worker tier', () => {
  let source: Buffer;
  let tier: TestTier | undefined;
  const start = (options?: Parameters<typeof startTier>[0]) => {
    tier = startTier(options);
    return tier;
  };
  const running = (count: number) => until(() => tier?.report()['images']?.running === count);

  before(async () => {
    source = await noiseImage();
  });

  afterEach(async () => {
    const pids = tier ? [...pidsOf(tier), ...pidsOf(tier, 'batches')] : [];
    await tier?.close();
    tier = undefined;
    await until(() => !pids.some(isAlive));
  });

  it('starts no process before the first task, and then one at the lowest priority', async () => {
    const workers = start();
    expect(workers.report()['images']?.hosts).to.deep.equal([]);
    const { type, width, height, body } = await workers.run('image-transform', { source, plan: planOf() });
    expect({ type, width, height }).to.deep.equal({ type: 'image/jpeg', width: 40, height: 30 });
    expect([...body.subarray(0, 2)]).to.deep.equal([0xff, 0xd8]);
    const [pid = 0] = pidsOf(workers);
    expect([...new Set(priorities(pid))]).to.deep.equal([19]);
  });

  it('retries the jobs of a crashed host without an error to the caller', async () => {
    const workers = start();
    const whole = await workers.run('image-transform', { source, plan: slowPlan() });
    const again = workers.run('image-transform', { source, plan: slowPlan() });
    await running(1);
    for (const pid of pidsOf(workers)) process.kill(pid, 'SIGKILL');
    expect(Buffer.from((await again).body).equals(whole.body)).to.equal(true);
    expect(workers.report()['images']).to.include({ crashes: 1, starts: 2 });
    expect(workers.warnings.join()).to.include('SIGKILL');
  });

  it('fails a job that crashed two hosts, and continues', async () => {
    const workers = start();
    const doomed = failureOf(workers.run('image-transform', { source, plan: slowPlan() }));
    for (const crash of [1, 2]) {
      await until(() => workers.report()['images']?.running === 1);
      for (const pid of pidsOf(workers)) process.kill(pid, 'SIGKILL');
      await until(() => workers.report()['images']?.crashes === crash);
    }
    expect((await doomed).failure).to.equal('lost');
    const { width } = await workers.run('image-transform', { source, plan: planOf() });
    expect(width).to.equal(40);
  });

  longTest(
    'retries each job of a crashed host alone, so that only the one that causes the crash fails',
    async () => {
      const workers = start();
      const both = [0, 1].map((number) => workers.run('image-transform', { source, plan: slowPlan(number) }));
      await running(2);
      for (const pid of pidsOf(workers)) process.kill(pid, 'SIGKILL');
      await running(1);
      const widths = (await Promise.all(both)).map(({ width }) => width);
      expect(widths).to.deep.equal([700, 699]);
      expect(workers.report()['images']?.failed.lost).to.equal(0);
    },
  );

  it('refuses tasks at once when the queue is full', async () => {
    const workers = start({ waiting: 3 });
    await workers.run('image-transform', { source, plan: planOf() });
    let refused = 0;
    const { milliseconds } = await leastOf(20, async () => {
      const accepted = Array.from({ length: TASKS_PER_HOST + 3 }, (_, number) =>
        workers.run('image-transform', { source, plan: slowPlan(number) }),
      );
      const started = performance.now();
      const { failure, retryAfter } = await failureOf(
        workers.run('image-transform', { source, plan: planOf() }),
      );
      const took = performance.now() - started;
      refused += 1;
      expect(failure).to.equal('busy');
      expect(retryAfter).to.be.within(1, 60);
      expect(await Promise.all(accepted)).to.have.length(TASKS_PER_HOST + 3);
      return { milliseconds: took };
    });
    expect(milliseconds).to.be.below(20);
    expect(workers.report()['images']?.failed.busy).to.equal(refused);
  });

  longTest('takes a task from the queue when its signal fires, and finishes one that runs', async () => {
    const workers = start();
    const signals = Array.from({ length: TASKS_PER_HOST + 2 }, () => new AbortController());
    const results = signals.map(({ signal }, number) =>
      workers.run('image-transform', { source, plan: slowPlan(number) }, { signal }),
    );
    await running(TASKS_PER_HOST);
    const reason = new Error('No longer needed.');
    for (const number of [0, TASKS_PER_HOST]) signals[number]!.abort(reason);
    const cancelled = await results[TASKS_PER_HOST]!.catch((error: unknown) => error);
    expect(cancelled).to.equal(reason);
    expect(workers.report()['images']).to.include({ waiting: 1, done: 0 });
    const made = await Promise.all(results.toSpliced(TASKS_PER_HOST, 1));
    expect(made.map(({ width }) => 700 - width)).to.deep.equal([
      ...Array(TASKS_PER_HOST).keys(),
      TASKS_PER_HOST + 1,
    ]);
    const { done, failed } = workers.report()['images']!;
    const none = { busy: 0, late: 0, refused: 0, lost: 0 };
    expect({ done, ...failed }).to.deep.equal({ done: TASKS_PER_HOST + 1, ...none });
    const late = workers.run(
      'image-transform',
      { source, plan: planOf() },
      { signal: AbortSignal.abort(reason) },
    );
    expect(await late.catch((error: unknown) => error)).to.equal(reason);
  });

  it('runs fewer large tasks at a time, and others beside them', async () => {
    const workers = start();
    const run = (number: number, isLarge: boolean) =>
      workers.run('image-transform', { source, plan: slowPlan(number) }, { isLarge });
    await run(9, false);
    // Those behind one that has to wait do not.
    const most = { large: 3, others: 1, together: 3 };
    const fewer = [
      { large: 3, others: 0, together: 2 },
      { large: 2, others: 1, together: 3 },
    ];
    for (const { large, others, together } of isLongForm ? [...fewer, most] : [most]) {
      for (const pid of pidsOf(workers)) process.kill(pid, 'SIGSTOP');
      const all = Array.from({ length: large + others }, (_, number) => run(number, number < large));
      await running(together);
      expect(workers.report()['images']?.waiting).to.equal(all.length - together);
      for (const pid of pidsOf(workers)) process.kill(pid, 'SIGCONT');
      const widths = all.map((_, number) => 700 - number);
      expect((await Promise.all(all)).map(({ width }) => width)).to.deep.equal(widths);
    }
  });

  it('does not retry the job of a crashed host once its signal has fired', async () => {
    const workers = start();
    const cancel = new AbortController();
    const result = workers.run('image-transform', { source, plan: slowPlan() }, { signal: cancel.signal });
    const failed = result.catch((error: unknown) => error);
    await running(1);
    cancel.abort();
    for (const pid of pidsOf(workers)) process.kill(pid, 'SIGKILL');
    expect(await failed).to.equal(cancel.signal.reason);
    expect(workers.report()['images']).to.include({ waiting: 0, running: 0, crashes: 1 });
  });

  it('enforces the deadline, in the queue and in a host, and kills a host that does not end its task', async () => {
    const workers = start({ waiting: 4 });
    await workers.run('image-transform', { source, plan: planOf() });
    const { milliseconds } = await leastOf(1500, async () => {
      const [stuck = 0] = pidsOf(workers);
      process.kill(stuck, 'SIGSTOP');
      const started = performance.now();
      const failures = await Promise.all(
        Array.from({ length: TASKS_PER_HOST + 1 }, (_, number) =>
          failureOf(workers.run('image-transform', { source, plan: slowPlan(number) }, { deadline: 200 })),
        ),
      );
      const took = performance.now() - started;
      expect(new Set(failures.map(({ failure }) => failure))).to.deep.equal(new Set(['late']));
      await until(() => !isAlive(stuck));
      const { width } = await workers.run('image-transform', { source, plan: planOf() });
      expect(width).to.equal(40);
      return { milliseconds: took };
    });
    expect(milliseconds).to.be.within(190, 1500);
  });

  longTest('signs batches under a load of images as without it', async () => {
    const workers = start();
    await workers.run('webhook-batch', { notifications: [] });
    const storm = Array.from({ length: 4 * TASKS_PER_HOST }, (_, number) =>
      workers.run('image-transform', { source, plan: slowPlan(number) }),
    );
    let over = false;
    const all = Promise.all(storm).then(() => {
      over = true;
    });
    await running(TASKS_PER_HOST);
    for (let batch = 0; batch < 20; batch++) await workers.run('webhook-batch', { notifications: [] });
    expect(over, 'the storm is over').to.equal(false);
    expect(pidsOf(workers, 'batches')).to.not.have.members(pidsOf(workers));
    await all;
  });

  it('returns memory: an idle host above its limit is ended, and the next task starts a new one', async () => {
    const workers = start({ idleMilliseconds: 100, keptBytes: 1 });
    await workers.run('image-transform', { source, plan: planOf() });
    const [first = 0] = pidsOf(workers);
    await until(() => !isAlive(first));
    await workers.run('image-transform', { source, plan: planOf() });
    expect(workers.report()['images']).to.include({ crashes: 0, starts: 2 });
  });

  it('keeps hosts running on signals of a terminal or a service manager', async () => {
    const workers = start();
    await workers.run('image-transform', { source, plan: planOf() });
    const [pid = 0] = pidsOf(workers);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    await workers.run('image-transform', { source, plan: planOf() });
    expect(pidsOf(workers)).to.deep.equal([pid]);
  });

  it('leaves no host behind when its owner is killed', async () => {
    const owner = spawn(process.execPath, ['--import', 'tsx', OWNER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const pids = JSON.parse(String(line)) as number[];
    expect(pids).to.have.length(2);
    expect(pids.every(isAlive)).to.equal(true);
    owner.kill('SIGKILL');
    await until(() => !pids.some(isAlive));
  });

  longTest('survives a start of a host for which no file descriptor is left', async () => {
    const words = [process.execPath, '--import', 'tsx', WITHOUT_DESCRIPTORS];
    const owner = spawn('sh', ['-c', 'ulimit -n 256; exec "$@"', 'sh', ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(owner.stdout), text(owner.stderr)]);
    expect({ out, err }).to.deep.equal({ out: 'lost, then image/jpeg', err: '' });
  });

  it('makes the same bytes in every host, whichever allocator it has', async () => {
    const workers = start();
    const plan = planOf({ width: 400, height: 300 });
    const one = await workers.run('image-transform', { source, plan });
    await workers.close();
    const other = await start({ allocator: 'system' }).run('image-transform', { source, plan });
    expect(Buffer.from(one.body).equals(other.body)).to.equal(true);
  });

  it('refuses tasks quickly where no worker starts', async () => {
    const workers = start({ remotes: [{ host: '127.0.0.1', port: 1, token: 'a token without a listener' }] });
    const run = () => failureOf(workers.run('image-transform', { source, plan: planOf() }));
    expect((await run()).failure).to.equal('lost');
    await run();
    const took = await leastTimeOf(1000, async () => {
      expect((await run()).failure).to.equal('lost');
    });
    expect(took).to.be.below(1000);
    expect((await workers.health()).ok).to.equal(false);
  });
});
