import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Entry {
  readonly path: string;
  readonly id: string;
  readonly round: number;
  /** When it arrived (`performance.now()`). */
  readonly at: number;
  /** The receiver answered 204, completely as far as it knows. */
  taken: boolean;
}

/** A receiver that records every request and answers at random. */
export interface DeliveryRecord {
  readonly url: string;
  readonly entries: readonly Entry[];
  /** Number of the sending process; marks entries. */
  round: number;
  /** Answers 204 from now on. */
  isWell: boolean;
  close(): Promise<void>;
}

export async function startDeliveryRecord(random: () => number): Promise<DeliveryRecord> {
  const entries: Entry[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('error', () => {});
    request.on('end', () => {
      const path = request.url ?? '';
      const id = String(request.headers['x-svc-message-id']);
      const entry: Entry = { path, id, round: record.round, at: performance.now(), taken: false };
      entries.push(entry);
      const take = () => {
        response.on('finish', () => {
          entry.taken = true;
        });
        response.writeHead(204).end();
      };
      const at = record.isWell ? 1 : random();
      if (at < 0.05) response.writeHead(500).end('broken');
      else if (at < 0.08) request.socket.resetAndDestroy();
      else if (at < 0.11) request.socket.end('garbage\r\n\r\n');
      else if (at < 0.13) response.writeHead(302, { location: '/elsewhere' }).end();
      else if (at < 0.25) setTimeout(take, 15);
      else take();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const record: DeliveryRecord = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    round: 0,
    isWell: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return record;
}

/**
 * Compares deliveries with commits.
 * @param expected ids in the order of commit
 * @param mayRepeat whether a delivery that was taken may come again; where another process sends it, unless given
 * @returns how many were taken again: a repeat that the receiver refuses is only an attempt
 * @throws Error for a delivery that is lost or out of order, or repeated where it may not be
 */
export function checkOrder(
  received: readonly Entry[],
  expected: readonly string[],
  mayRepeat = (first: Entry, again: Entry) => first.round !== again.round,
): number {
  let next = 0;
  let last: Entry | undefined;
  let twice = 0;
  for (const [index, entry] of received.entries()) {
    const { id, round, taken } = entry;
    const at = `entry ${index} of round ${round}`;
    if (id === expected[next]) {
      if (!taken) continue;
      next++;
      last = entry;
    } else if (last && id === expected[next - 1]) {
      if (!mayRepeat(last, entry))
        throw new Error(`${at} came twice: its first answer had been recorded or should be.`);
      if (!taken) continue;
      twice++;
      last = entry;
    } else
      throw new Error(`${at} is out of order: it is number ${expected.indexOf(id)}, and ${next} is next.`);
  }
  if (next < expected.length) throw new Error(`${expected.length - next} of ${expected.length} are lost.`);
  return twice;
}
