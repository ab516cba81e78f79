/**
 * Many hostile clients, in a process of their own: they send expensive requests, disconnect before the answer, read
 * slowly, send several at once, over HTTP/1.1 and HTTP/2. Every client draws from its own generator, so that the
 * same seed gives the same requests.
 */
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { answerParent } from '../bench/answer-parent.ts';
import { Random } from '../support/random/random.ts';
import type { HostileOrder, HostileReply } from './hostile-client-order.ts';
import { HOSTILE_KINDS, type HostileRequest, hostileRequest, requestBytes } from './hostile-requests.ts';

/** One client in eight speaks HTTP/2, with so many streams at a time. */
const STREAMS = 8;
/** A management key may be used ten times a second: its calls stay below that, so that they are served. */
const MANAGEMENT_EVERY_MS = 125;
/** The longest wait for an answer. */
const TIMEOUT_MS = 10_000;
/** Between two requests of a client. */
const REST_MS: readonly [number, number] = [5, 40];

type Manner = 'read' | 'abort' | 'slow' | 'pipeline';

answerParent(async (order: HostileOrder): Promise<HostileReply> => {
  const outcomes: Record<string, number> = {};
  let requests = 0;
  let bytes = 0;
  let managementAt = 0;
  const began = performance.now();
  const until = began + order.seconds * 1000;
  const cpu = process.cpuUsage();

  const note = (kind: string, outcome: string) => {
    const name = `${kind} ${outcome}`;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  };
  const next = (random: Random): HostileRequest => {
    for (;;) {
      const kind = random.pick(HOSTILE_KINDS);
      if (kind === 'management' || kind === 'managedModel') {
        if (performance.now() < managementAt) continue;
        managementAt = performance.now() + MANAGEMENT_EVERY_MS;
      }
      requests += 1;
      return hostileRequest(kind, random, order.target);
    }
  };

  /** One connection, from its request to its end. */
  const overHttp1 = (random: Random): Promise<void> =>
    new Promise((resolve) => {
      const manner: Manner = random.pick([
        'read',
        'read',
        'read',
        'abort',
        'abort',
        'abort',
        'slow',
        'pipeline',
      ]);
      const asked = random.times(manner === 'pipeline' ? 2 : 1, manner === 'pipeline' ? 8 : 1, () =>
        next(random),
      );
      const socket = connect({ port: order.port, host: '127.0.0.1' });
      const { kind } = asked[0]!;
      let status = manner === 'abort' ? 'left' : 'nothing';
      const timers = [
        setTimeout(() => socket.destroy(), Math.max(500, Math.min(TIMEOUT_MS, until - performance.now()))),
      ];
      if (manner === 'abort') timers.push(setTimeout(() => socket.destroy(), random.int(0, 400)));
      socket.on('connect', () => {
        socket.write(
          asked
            .map((one, at) => requestBytes(one, at === asked.length - 1 ? 'close' : 'keep-alive'))
            .join(''),
        );
      });
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        if (status === 'nothing' || status === 'left') status = chunk.toString('latin1', 9, 12);
        if (manner !== 'slow') return;
        socket.pause();
        timers.push(setTimeout(() => socket.resume(), 100));
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const timer of timers) clearTimeout(timer);
        note(kind, status);
        resolve();
      });
    });

  const overHttp2 = (random: Random): Promise<void> =>
    new Promise((resolve) => {
      const session = connectHttp2(`https://127.0.0.1:${order.tlsPort}`, { rejectUnauthorized: false });
      const timer = setTimeout(
        () => session.destroy(),
        Math.max(500, Math.min(TIMEOUT_MS, until - performance.now())),
      );
      let left = STREAMS;
      session.on('error', () => {});
      session.on('close', () => {
        clearTimeout(timer);
        resolve();
      });
      for (let at = 0; at < STREAMS; at += 1) {
        const { kind, path, headers } = next(random);
        const stream = session.request({ ':path': path, ...headers });
        let status = 'left';
        stream.on('response', (head) => (status = String(head[':status'])));
        stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
        stream.on('error', () => {});
        stream.on('close', () => {
          note(kind, status);
          if (--left === 0) session.close();
        });
        if (random.chance(0.5)) setTimeout(() => stream.close(8), random.int(0, 400));
        stream.end();
      }
    });

  await Promise.all(
    Array.from({ length: order.clients }, async (_, index) => {
      const random = new Random(order.seed + index);
      while (performance.now() < until) {
        await (index % 8 === 7 ? overHttp2(random) : overHttp1(random));
        await pause(random.int(...REST_MS));
      }
    }),
  );
  const used = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - began) / 1000,
    requests,
    outcomes,
    bytes,
    cpu: (used.user + used.system) / 1000,
  };
});
