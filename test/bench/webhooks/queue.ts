/** BullMQ with got as its sender, signing as we do: what a team would otherwise build. Neither ordered nor exactly recorded. */
import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { Queue, QueueEvents, Worker } from 'bullmq';
import got from 'got';
import { answerParent } from '../answer-parent.ts';

export type QueueOrder =
  | { readonly do: 'open'; readonly port: number }
  | { readonly do: 'drain'; readonly urls: readonly string[]; readonly each: number };

export interface QueueReply {
  readonly perSecond: number;
}

const body = JSON.stringify({ message: 'x'.repeat(620) });
const agent = new Agent({ keepAlive: true });
let connection: { host: string; port: number };

async function drain(urls: readonly string[], each: number): Promise<number> {
  const name = `q${randomUUID()}`;
  const queue = new Queue(name, { connection, defaultJobOptions: { removeOnComplete: true, attempts: 20 } });
  for (let turn = 0; turn < each; turn++)
    await queue.addBulk(urls.map((url) => ({ name: 'notification', data: { url, body, id: randomUUID() } })));
  let done = 0;
  const total = urls.length * each;
  const began = performance.now();
  const worker = new Worker(
    name,
    async ({ data }) => {
      const headers = {
        'content-type': 'application/json',
        'x-svc-message-id': data.id,
        'x-svc-signature': createHmac('sha256', 'secret').update(data.body).digest('base64'),
      };
      await got.post(data.url, {
        body: data.body,
        headers,
        agent: { http: agent },
        retry: { limit: 0 },
        followRedirect: false,
      });
    },
    { connection, concurrency: urls.length },
  );
  await new Promise<void>((resolve) => {
    worker.on('completed', () => {
      if (++done === total) resolve();
    });
  });
  const took = performance.now() - began;
  await worker.close();
  await queue.close();
  return (total / took) * 1000;
}

answerParent(async (order: QueueOrder): Promise<QueueReply> => {
  if (order.do === 'open') {
    connection = { host: '127.0.0.1', port: order.port };
    const events = new QueueEvents('ready', { connection });
    await events.waitUntilReady();
    await events.close();
    return { perSecond: 0 };
  }
  return { perSecond: await drain(order.urls, order.each) };
});
