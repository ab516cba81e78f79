import { Agent, request } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import type { ServiceError } from '../../core/contract.ts';
import { type Clock, definePlugin, type Next, type Plugin } from '../../plugins/contract.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { isLongForm } from '../support/long-form.ts';

const CONNECTIONS = 16;
/** The real limits take 75 s to show; a minute of 30 calls shows the same in six. */
const MINUTE = isLongForm ? 400 : 30;
const SECONDS = isLongForm ? 75 : 6;

interface Rejection {
  readonly at: number;
  /** As `Retry-After` says it. */
  readonly seconds: number;
  /** Calls admitted before it. */
  readonly before: number;
}

function watcher(name: string, watch: (next: Next) => Promise<void>): Plugin {
  return definePlugin({
    name,
    phase: 'admit',
    surfaces: ['manage'],
    settings: z.strictObject({}),
    setup: () => ({ handle: (_ctx, next) => watch(next) }),
  });
}

describe('a client that calls as fast as it can, at the rate limit', function () {
  this.timeout((SECONDS + 30) * 1000);
  let gateway: TestGateway;
  /** When calls were admitted, by the clock of the limiter. */
  const admitted: number[] = [];
  const rejections: Rejection[] = [];

  before(async () => {
    // The time the limiter has just read. One read a moment later would be off by as long as the process was not running
    // in between, which on a busy machine is milliseconds.
    let read = 0;
    const clock: Clock = {
      now: () => new Date(),
      monotonic: () => {
        read = performance.now();
        return read;
      },
    };
    // One in front of the limiter and one right behind it: each verdict with the time it was given at.
    const inFront = watcher('in-front', async (next) => {
      try {
        await next();
      } catch (thrown) {
        const seconds = Number((thrown as ServiceError).headers['retry-after']);
        rejections.push({ at: read, seconds, before: admitted.length });
        throw thrown;
      }
    });
    const behind = watcher('right-behind', (next) => {
      admitted.push(read);
      return next();
    });
    gateway = await runGateway({
      clock,
      own: [inFront, behind],
      settings: { pipeline: { order: { admit: ['in-front', 'rate-limit', 'right-behind', 'usage'] } } },
      plugins: { 'rate-limit': { limits: { second: 10, minute: MINUTE } } },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const end = performance.now() + SECONDS * 1000;
    const callRepeatedly = async () => {
      while (performance.now() < end) await call(agent);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, callRepeatedly));
    agent.destroy();
  });
  after(() => gateway.end());

  function call(agent: Agent): Promise<void> {
    const options = { agent, headers: { authorization: 'Bearer open-management' } };
    return new Promise((resolve, reject) => {
      const url = `${gateway.urls.http}/manage/v2/projects/${PROJECTS.open}/items`;
      request(url, options, (answer) => {
        answer.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  }

  function worst(length: number): number {
    let first = 0;
    let most = 0;
    for (const [last, time] of admitted.entries()) {
      while (admitted[first]! <= time - length) first += 1;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  it('gets all calls of its limit and not one more, in any second and any minute', () => {
    expect(worst(1000)).to.equal(10);
    expect(worst(60_000)).to.equal(MINUTE);
    expect(rejections.length).to.be.above(admitted.length);
    expect(gateway.core.requests).to.have.lengthOf(admitted.length);
  });

  it('gets a Retry-After that is right within a second (second) and five (minute)', () => {
    for (const { at, seconds, before } of rejections) {
      // Until fewer than the limit would lie in the window, if it were exact.
      const until = (limit: number, length: number) =>
        before < limit ? 0 : admitted[before - limit]! + length - at;
      const wait = Math.max(until(10, 1000), until(MINUTE, 60_000));
      // A part of the minute counts until all of it has left.
      const isMinute = until(MINUTE, 63_000) > 0;
      const late = seconds * 1000 - wait;
      expect(late, `${seconds} s for ${wait} ms`).to.be.within(-5, isMinute ? 5000 : 1000);
    }
  });
});
