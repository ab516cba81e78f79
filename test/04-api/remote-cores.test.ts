import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { CoreRequest, ServiceError } from '../../core/contract.ts';
import { json } from '../support/gateway/fake-core.ts';
import {
  connectTo,
  coreRequest,
  type ServedFakeCore,
  serveFakeCore,
} from '../support/gateway/remote-core.ts';
import { leastOf, leastTimeOf } from '../support/measure/least-of.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { until } from '../support/until.ts';

const write = (more: Partial<CoreRequest> = {}) =>
  coreRequest({ surface: 'manage', method: 'PUT', body: bodyOf('{"a":1}'), ...more });

describe('several cores', () => {
  const open: { close(): Promise<void> }[] = [];
  const opened = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    open.unshift(part);
    return part;
  };
  const served = async (...options: Parameters<typeof serveFakeCore>): Promise<ServedFakeCore> =>
    opened(await serveFakeCore(...options));
  const connected = async (...options: Parameters<typeof connectTo>) => opened(await connectTo(...options));
  const relayed = async (core: ServedFakeCore): Promise<Relay & { readonly address: string }> => {
    const relay = opened(await startRelay(core.port));
    return { ...relay, address: `127.0.0.1:${relay.port}` };
  };
  afterEach(async () => {
    for (const part of open.splice(0)) await part.close();
  });

  it('share calls: each goes to the core with the fewest in progress', async () => {
    const [one, two] = [await served(), await served()];
    const remote = await connected([one.address, two.address]);
    for (const core of [one, two])
      core.fake.answer = async () => {
        await pause(50);
        return json({});
      };
    await Promise.all(Array.from({ length: 20 }, () => remote.handle(coreRequest())));
    expect([one.fake.requests.length, two.fake.requests.length]).to.deep.equal([10, 10]);
  });

  it('count a streamed answer as a call until it is read', async () => {
    const [one, two] = [await served(), await served()];
    const remote = await connected([one.address, two.address]);
    one.fake.answer = () => json(0, { body: waiting() });
    two.fake.answer = () => json(0, { body: waiting() });
    const bodies = [];
    for (let time = 0; time < 4; time++) bodies.push((await remote.handle(coreRequest())).body);
    expect([one.fake.requests.length, two.fake.requests.length]).to.deep.equal([2, 2]);
    for (const body of bodies) await (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
  });

  it('each have the images whose paths belong to them, and those of a lost core', async () => {
    const cores = [await served(), await served(), await served()];
    const remote = await connected(cores.map(({ address }) => address));
    const homes = async () => {
      const found: number[] = [];
      for (let at = 0; at < 30; at++) {
        const before = cores.map(({ fake }) => fake.requests.length);
        await remote.handle(
          coreRequest({ surface: 'assets', path: `/p/${at}.jpg`, query: `w=${Math.random()}` }),
        );
        found.push(cores.findIndex(({ fake }, index) => fake.requests.length > before[index]!));
      }
      return found;
    };
    const first = await homes();
    expect(await homes()).to.deep.equal(first);
    expect(new Set(first).size).to.equal(3);
    await cores[1]!.close();
    const then = await homes();
    for (const [at, home] of first.entries()) {
      if (home === 1) expect(then[at]).to.not.equal(1);
      else expect(then[at]).to.equal(home);
    }
  });

  describe('where one is cut off before any byte of an answer', () => {
    let [one, two]: ServedFakeCore[] = [];
    let relay: Relay & { readonly address: string };
    beforeEach(async () => {
      [one, two] = [await served(), await served()];
      relay = await relayed(one!);
      // It takes the call and never answers it.
      one!.fake.answer = () => new Promise(() => {});
      two!.fake.answer = ({ method }) => json({ by: 'two', method });
    });

    it('reads and lookups go to the other one', async () => {
      const remote = await connected([relay.address, two!.address]);
      const answer = remote.handle(coreRequest());
      await until(() => one!.fake.requests.length === 1);
      relay.cut();
      expect((await answer).status).to.equal(200);
      expect(two!.fake.requests).to.have.length(1);
    });

    it('a write that core may have begun gets 503 and is not sent again', async () => {
      const remote = await connected([relay.address, two!.address]);
      const answer = failure(remote.handle(write()));
      await until(() => one!.fake.requests.length === 1);
      relay.cut();
      expect(await answer).to.include({ errorName: 'unavailable' });
      expect((await answer) as ServiceError)
        .to.have.property('headers')
        .that.includes({ 'retry-after': '1' });
      expect(two!.fake.requests).to.have.length(0);
    });

    it('counts as lost once, with the calls of it that another one did', async () => {
      const remote = await connected([relay.address, two!.address]);
      const answer = remote.handle(coreRequest());
      await until(() => one!.fake.requests.length === 1);
      relay.cut();
      await answer;
      const lost = () => remote.cores()[0]!;
      await one!.close(200);
      await relay.close();
      await until(() => !lost().isAvailable);
      await pause(600);
      expect(lost()).to.include({ retries: 1, losses: 1 });
      const none = await connected([relay.address]);
      expect(none.cores()[0]).to.include({ isAvailable: false, losses: 0 });
    });

    it('a call that no other core can do counts as none that was repeated', async () => {
      const remote = await connected([relay.address]);
      const answer = failure(remote.handle(coreRequest()));
      await until(() => one!.fake.requests.length === 1);
      await relay.close();
      expect(await answer).to.include({ errorName: 'unavailable' });
      expect(remote.cores()[0]).to.include({ retries: 0 });
    });

    it('a core that is reached again gets calls again', async () => {
      const remote = await connected([relay.address]);
      relay.cut();
      one!.fake.answer = () => json({});
      await pause(50);
      expect((await remote.handle(coreRequest())).status).to.equal(200);
    });
  });

  describe('where one does not answer any more', () => {
    it('its reads go to the other one within about a second, its writes get 503, later calls do not wait', async () => {
      const { milliseconds } = await leastOf(2500, stall);
      expect(milliseconds).to.be.within(500, 2500);
    });

    /** @returns how long calls took that were sent while one of two cores began to stall */
    async function stall() {
      const [one, two] = [await served(), await served()];
      const relay = await relayed(one);
      for (const { fake } of [one, two])
        fake.answer = async () => {
          await pause(10);
          return json({});
        };
      const remote = await connected([relay.address, two.address]);
      await remote.handle(coreRequest());
      relay.hold();
      const began = performance.now();
      const reads = Array.from({ length: 10 }, () => remote.handle(coreRequest()));
      const writes = Array.from({ length: 10 }, () => failure(remote.handle(write())));
      for (const answer of await Promise.all(reads)) expect(answer.status).to.equal(200);
      const errors = await Promise.all(writes);
      const milliseconds = performance.now() - began;
      const failed = errors.filter((error) => error !== undefined);
      expect(failed).to.not.have.length(0);
      for (const error of failed) expect(error).to.include({ status: 503 });
      const later = await leastTimeOf(1000, async () => {
        for (let time = 0; time < 20; time++) await remote.handle(write());
      });
      expect(later).to.be.below(1000);
      relay.release();
      const answered = one.fake.requests.length;
      await until(async () => {
        await remote.handle(coreRequest());
        return one.fake.requests.length > answered;
      });
      return { milliseconds };
    }

    it('calls get 503 at once if it is the only one', async () => {
      const core = await served();
      const relay = await relayed(core);
      const remote = await connected([relay.address]);
      relay.hold();
      expect(await failure(remote.handle(coreRequest()))).to.include({ status: 503 });
      const took = await leastTimeOf(50, async () => {
        expect(await failure(remote.handle(coreRequest()))).to.include({ status: 503 });
        expect(await failure(remote.access.project('p'))).to.include({ status: 503 });
      });
      expect(took).to.be.below(50);
      const { ok, parts } = await remote.health();
      expect(ok).to.equal(false);
      expect(parts[`core ${relay.address}`]).to.deep.equal({
        ok: false,
        detail: `The core ${relay.address} does not answer.`,
      });
    });
  });

  describe('where one stops', () => {
    it('it announces that, and gets no calls from then on; running ones end', async () => {
      const [one, two] = [await served(), await served()];
      const remote = await connected([one.address, two.address]);
      one.fake.answer = async () => {
        await pause(900);
        return json({ by: 'one' });
      };
      const running = remote.handle(write());
      await until(() => one.fake.requests.length === 1);
      const closed = one.close(3000);
      await pause(350);
      const before = one.fake.requests.length;
      const answers = await Promise.all(Array.from({ length: 20 }, () => remote.handle(write())));
      for (const answer of answers) expect(answer.status).to.equal(200);
      expect(one.fake.requests.length).to.equal(before);
      expect((await running).status).to.equal(200);
      await closed;
    });

    it('no call fails, whenever it comes', async () => {
      const [one, two] = [await served(), await served()];
      const remote = await connected([one.address, two.address]);
      let isOver = false;
      const failures: unknown[] = [];
      const callers = Array.from({ length: 8 }, async (_, index) => {
        while (!isOver) {
          const request = index % 2 === 0 ? write() : coreRequest();
          await remote.handle(request).catch((error: unknown) => failures.push(error));
        }
      });
      await pause(50);
      await one.close(3000);
      await pause(50);
      isOver = true;
      await Promise.all(callers);
      expect(failures).to.deep.equal([]);
    });

    it('a write that could not be sent to it goes to the other one', async () => {
      const [one, two] = [await serveFakeCore(), await served()];
      const remote = await connected([one.address, two.address]);
      await one.close(0);
      await remote.handle(write());
      expect(two.fake.requests).to.have.length(1);
    });

    it('a core that is alone answers until it refuses, and is called again after its restart', async () => {
      const one = await serveFakeCore();
      const remote = await connected([one.address]);
      await one.close(0);
      const again = await served({ listen: one.address });
      await until(async () => (await failure(remote.handle(write()))) === undefined);
      expect(again.fake.requests).to.have.length(1);
    });

    it('a core that is alone has the first call after its restart, however long it was away', async () => {
      const one = await serveFakeCore();
      const remote = await connected([one.address]);
      await one.close(0);
      await until(async () => (await failure(remote.handle(write()))) !== undefined);
      // The longest pause between two hellos begins.
      await pause(1200);
      const again = await served({ listen: one.address });
      expect((await remote.handle(write())).status).to.equal(200);
      expect(again.fake.requests).to.have.length(1);
    });

    it('calls without a core ask it at most 50 times a second', async () => {
      const one = await serveFakeCore();
      const remote = await connected([one.address]);
      await one.close(0);
      let connections = 0;
      const refusing = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      refusing.listen(one.port, '127.0.0.1');
      opened({
        close: async () => {
          refusing.close();
        },
      });
      await until(async () => (await failure(remote.handle(write()))) !== undefined);
      connections = 0;
      for (const ends = performance.now() + 500; performance.now() < ends; )
        expect(await failure(remote.handle(write()))).to.include({ status: 503 });
      // A hello that fails on its connection is asked again on another one.
      expect(connections).to.be.within(2, 60);
    });
  });

  it('that were started again get a call that was signed for the former one, its body as well', async () => {
    const one = await serveFakeCore();
    const remote = await connected([one.address]);
    await remote.handle(coreRequest());
    // Faster than the next hello.
    await one.close(0);
    const again = await served({ listen: one.address });
    const received: string[] = [];
    again.fake.answer = async ({ body }) => {
      for await (const piece of body!) received.push(Buffer.from(piece).toString());
      return json({});
    };
    await remote.handle(write());
    expect(received.join('')).to.equal('{"a":1}');
  });

  it('of a DNS name are all of its addresses; they change with it', async () => {
    const host = `127.77.${1 + (process.pid % 250)}`;
    const listen = (last: number) => served({ listen: `${host}.${last}:8091` });
    const [one, two] = [await listen(1), await listen(2)];
    let addresses = [`${host}.1`];
    const remote = await connected(['cores.example'], {
      resolve: async () => addresses,
      resolveMilliseconds: 50,
    });
    await remote.handle(coreRequest());
    expect(one.fake.requests).to.have.length(1);
    addresses = [`${host}.1`, `${host}.2`];
    await until(async () => {
      await Promise.all([remote.handle(coreRequest()), remote.handle(coreRequest())]);
      return two.fake.requests.length > 0;
    });
    let isFinished = false;
    one.fake.answer = async () => {
      await until(() => isFinished);
      return json({ drained: true });
    };
    const before = one.fake.requests.length;
    const running = Promise.all([remote.handle(coreRequest()), remote.handle(coreRequest())]);
    await until(() => one.fake.requests.length > before);
    addresses = [`${host}.2`];
    await pause(120);
    const counted = one.fake.requests.length;
    for (let time = 0; time < 10; time++) await remote.handle(coreRequest());
    expect(one.fake.requests.length).to.equal(counted);
    isFinished = true;
    for (const answer of await running) expect(answer.status).to.equal(200);
  });

  it('of a DNS name that cannot be resolved any more stay', async () => {
    const core = await served({ listen: `127.78.${1 + (process.pid % 250)}.1:8091` });
    let isGone = false;
    const resolve = async () => {
      if (isGone) throw new Error('ENOTFOUND');
      return [core.address.slice(0, -':8091'.length)];
    };
    const remote = await connected(['cores.example'], { resolve, resolveMilliseconds: 20 });
    isGone = true;
    await pause(100);
    expect((await remote.handle(coreRequest())).status).to.equal(200);
  });
});

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* waiting(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.from('x');
    await pause(10);
  }
}

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
