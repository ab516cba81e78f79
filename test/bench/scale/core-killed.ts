import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startReceiver } from '../webhooks/parts.ts';
import { addWebhook, LOOPBACK_WEBHOOKS } from '../webhooks/publishing-service.ts';
import { startCluster } from './cluster.ts';
import { startDatabases } from './databases.ts';
import { DUTIES, Duties, type Duty } from './duties.ts';

const WEBHOOKS = 10;
const BACKLOG = 50;
const READERS = 4;

/** Each of two cores is killed in turn while gateways are read. */
export const coreKilled: Measure = {
  name: 'core-killed',
  about:
    'one of 2 cores on PostgreSQL is killed: repeatable requests that fail at 2 gateways; until its webhook queues, schedules, mails and jobs continue',
  async run({ datasets, large }: Bench): Promise<readonly Figure[]> {
    // So many that a recompilation lasts longer than the kill takes.
    const { dataset, settings } = await (await startDatabases(datasets, [1000, large])).of(large);
    const mails = await datasets.folder('mails');
    const cluster = await startCluster(datasets, dataset, {
      gateways: 2,
      cores: 2,
      settings: {
        ...LOOPBACK_WEBHOOKS,
        ...settings,
        PIPELINE__OFF: 'rate-limit,response-cache',
        MAIL__FOLDER: mails,
      },
    });
    const service = await cluster.managed();
    const receiver = await startReceiver();
    const webhooks: string[] = [];
    for (const url of receiver.urls('healthy', WEBHOOKS)) webhooks.push(await addWebhook(service, url));
    const duties = new Duties({ service, receiver, webhooks, mails, backlog: BACKLOG });

    const reads = { all: 0, failures: [] as string[] };
    let reading = true;
    const reader = async (url: string) => {
      while (reading) {
        const failure = await fetch(url).then(
          (answer) =>
            answer.text().then(
              (body) => (answer.status === 200 ? null : `${answer.status} ${body}`),
              () => `a body cut after status ${answer.status}`,
            ),
          String,
        );
        reads.all += 1;
        if (failure !== null) reads.failures.push(failure);
      }
    };
    const readers = cluster.gateways.flatMap(({ port, itemsPath }) =>
      Array.from({ length: READERS }, () => reader(`http://127.0.0.1:${port}${itemsPath('limit=20')}`)),
    );
    const continued: Record<Duty, number> = { queues: 0, empty: 0, schedule: 0, mail: 0, job: 0 };
    for (const index of cluster.cores.keys()) {
      await duties.begin(index);
      process.kill(cluster.cores[index]!.pid, 'SIGKILL');
      const found = await duties.continued(index);
      for (const duty of DUTIES) continued[duty] = Math.max(continued[duty], found[duty]);
      await cluster.restartCore(index);
    }
    reading = false;
    await Promise.all(readers);
    const seconds = (name: string, duty: Duty): Figure => ({
      name: `${name}, after the kill`,
      value: continued[duty] / 1000,
      unit: 's',
      ...(duty !== 'empty' && { target: { atMost: 5 } }),
      detail: 'the longer of two kills',
    });
    return [
      {
        name: 'repeatable requests that failed',
        value: reads.failures.length,
        unit: '×',
        target: { atMost: 0 },
        detail: [`of ${reads.all} reads of 20 items, two kills`, ...reads.failures.slice(0, 3)].join('; '),
      },
      seconds(`each of ${WEBHOOKS} queues has sent its next notification`, 'queues'),
      seconds(`${WEBHOOKS} queues with ${BACKLOG} notifications each are empty`, 'empty'),
      seconds('a schedule that became due is performed', 'schedule'),
      seconds('a mail is sent', 'mail'),
      seconds('a job proceeds', 'job'),
    ];
  },
  compare: { leftOut: 'an earlier version has no separate gateways' },
};
