/** Cores of one installation know each other and their gateways, over a registry in memory. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { FEED_LOST_MS } from '../../core/changes/change-feed.ts';
import { GatewayFeed } from '../../core/changes/gateway-feed.ts';
import type { ProcessState } from '../../core/process-identity.ts';
import type { CoreRegistry, OtherCore, RegisteredCore } from '../../core/storage/core-registry.ts';
import type { ChangeEntry } from '../../core/storage/ports.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const EPOCH = 'one';

/** One core, with a feed of its own. */
class Core implements CoreRegistry {
  readonly id: string;
  readonly feed: GatewayFeed;
  readonly announcements: number[] = [];
  readonly events: string[] = [];
  /** Answers that it waited for, by question. */
  readonly awaited: number[] = [];
  /** Runs before each write, read and announcement. */
  before: (what: string) => Promise<void> | void = () => {};
  readonly #all: Map<string, Core>;
  row: (RegisteredCore & { readonly written: number }) | undefined;
  #announced: (id: string, confirmed: number) => void = () => {};
  #changed = () => {};
  #source: (question: string) => Promise<string> = async () => '';

  constructor(all: Map<string, Core>, id: string, hasGateway = false, version = '0.3.0') {
    this.id = id;
    this.#all = all;
    all.set(id, this);
    this.feed = new GatewayFeed(
      { sequence: 5, epoch: EPOCH },
      {
        storage: { completeUntil: Number.POSITIVE_INFINITY },
        read: async () => [],
        self: () => ({ ...processState('core', id), version }),
        installation: {
          registry: this,
          caughtUp: async () => {
            this.events.push('caught up');
          },
          renewEpoch: async (seen) => {
            this.events.push(`renewed above ${seen}`);
            this.feed.reset({ sequence: seen + 1, epoch: 'renewed' });
          },
          hasGateway,
          failed() {},
        },
      },
    );
  }

  async ask(question: string, count: number): Promise<readonly string[]> {
    this.awaited.push(count);
    return Promise.all([...this.#others()].map((other) => other.#source(question)));
  }

  answer(source: (question: string) => Promise<string>): void {
    this.#source = source;
  }

  async write(row: RegisteredCore): Promise<void> {
    await this.before('write');
    const isChanged = String(this.row?.gateways) !== String(row.gateways);
    this.row = { ...row, written: performance.now() };
    this.events.push(`wrote ${row.gateways}`);
    if (isChanged) for (const other of this.#others()) other.#changed();
  }

  async read(): Promise<readonly OtherCore[]> {
    await this.before('read');
    return this.#others().flatMap(({ id, row }) =>
      row ? [{ ...row, id, age: performance.now() - row.written }] : [],
    );
  }

  async hasOtherVersions(): Promise<boolean> {
    return false;
  }

  async announce(confirmed: number): Promise<void> {
    await this.before('announce');
    this.announcements.push(confirmed);
    for (const other of this.#others()) other.#announced(this.id, confirmed);
  }

  listen(announced: (id: string, confirmed: number) => void, changed: () => void): void {
    this.#announced = announced;
    this.#changed = changed;
  }

  #others(): Core[] {
    return [...this.#all.values()].filter((one) => one !== this);
  }
}

function processState(role: 'core' | 'gateway', instance: string): ProcessState {
  const started = '2026-11-22T00:00:00.000Z';
  return { role, instance, version: '1', started, address: null, configuration: null, protocol: 1 };
}

describe('the cores of an installation', () => {
  let cores: Map<string, Core>;
  let a: Core;
  let b: Core;
  const links: { return(value: undefined): Promise<unknown> }[] = [];

  beforeEach(async () => {
    cores = new Map();
    a = new Core(cores, 'a');
    b = new Core(cores, 'b');
    for (const { feed } of [a, b]) await feed.start();
  });
  afterEach(async () => {
    for (const link of links.splice(0)) await link.return(undefined);
    for (const { feed } of cores.values()) await feed.close();
  });

  /** A gateway that follows cores and has confirmed everything. */
  async function follow(gateway: string, ...of: readonly Core[]): Promise<void> {
    for (const { feed } of of) {
      const link = feed.follow({ gateway }, () => {});
      links.push(link);
      expect((await link.next()).value).to.include({ kind: 'start', sequence: 5 });
      confirm(gateway, 5, { feed });
    }
  }
  function confirm(gateway: string, sequence: number, ...of: readonly Pick<Core, 'feed'>[]): void {
    for (const { feed } of of) feed.confirm(gateway, sequence, processState('gateway', gateway));
  }
  function commit(sequence: number): void {
    const entries = [{ projectId: 'p', tags: ['item:x'] }] as unknown as ChangeEntry[];
    for (const { feed } of cores.values())
      feed.publish({ sequence, epoch: EPOCH, time: performance.now(), entries, announced: [] });
  }
  async function timeOf(work: Promise<unknown>): Promise<number> {
    const began = performance.now();
    await work;
    return performance.now() - began;
  }

  it('wait for gateways that follow another core alone, and for no more than a second', async () => {
    await follow('g', b);
    commit(6);
    let isDone = false;
    const confirmed = a.feed.confirmed(6).then(() => {
      isDone = true;
    });
    await pause(50);
    expect(isDone).to.equal(false);
    confirm('g', 6, b);
    await confirmed;
    commit(7);
    expect(await timeOf(a.feed.confirmed(7))).to.be.within(FEED_LOST_MS, FEED_LOST_MS + 300);
  });

  it('await no answer of a core before 0.3.0, which would not come', async () => {
    const old = new Core(cores, 'old', false, '0.2.0');
    const none = new Core(new Map([['old', old]]), 'none');
    for (const { feed } of [old, none, a]) {
      await feed.start();
      await feed.processes();
    }
    for (const { feed } of [a, none]) await feed.installationReports.collect({ what: 'cores' });
    await none.feed.close();
    expect(a.awaited).to.deep.equal([1]);
    expect(none.awaited).to.deep.equal([]);
  });

  it('announce nothing where each gateway follows every core', async () => {
    await follow('g', a, b);
    await follow('h', a, b);
    for (const { feed } of [a, b]) await feed.processes();
    await pause(50);
    for (const { announcements } of [a, b]) announcements.length = 0;
    for (let sequence = 6; sequence < 20; sequence += 1) {
      commit(sequence);
      for (const gateway of ['g', 'h']) confirm(gateway, sequence, a, b);
      await a.feed.confirmed(sequence);
    }
    await pause(20);
    expect([...a.announcements, ...b.announcements]).to.deep.equal([]);
  });

  it('send one announcement at a time, the last of which has everything', async () => {
    await follow('g', b);
    await follow('h', b);
    b.before = async (what) => {
      if (what === 'announce') await pause(30);
    };
    for (let sequence = 6; sequence <= 40; sequence += 1) {
      commit(sequence);
      for (const gateway of ['g', 'h']) confirm(gateway, sequence, b);
      await pause(1);
    }
    await until(() => b.announcements.at(-1) === 40);
    expect(b.announcements.length).to.be.below(20);
    expect(b.announcements).to.deep.equal([...b.announcements].sort((one, two) => one - two));
    await a.feed.confirmed(40);
  });

  it('publish a gateway, then catch up, before it begins', async () => {
    let isWritten = false;
    b.before = async (what) => {
      if (what !== 'write') return;
      await pause(50);
      isWritten = true;
    };
    b.events.length = 0;
    const link = b.feed.follow({ gateway: 'g' }, () => {});
    links.push(link);
    const start = link.next();
    await pause(10);
    // Committed between both: it is part of what the gateway begins with.
    commit(6);
    expect((await start).value).to.include({ kind: 'start', sequence: 6 });
    expect(isWritten).to.equal(true);
    expect(b.events.slice(0, 2)).to.deep.equal(['wrote g', 'caught up']);
    // Another core that commits from now on finds it.
    commit(7);
    expect(await timeOf(a.feed.confirmed(7))).to.be.above(FEED_LOST_MS);
  });

  it('let no gateway begin that they cannot publish', async () => {
    b.before = () => Promise.reject(new Error('The database does not answer.'));
    const error = await b.feed
      .follow({ gateway: 'g' }, () => {})
      .next()
      .catch((thrown: Error) => thrown.message);
    expect(error).to.equal('The database does not answer.');
  });

  it('continue above what a gateway has seen and they lack, once they have caught up', async () => {
    const link = b.feed.follow({ gateway: 'g', after: { sequence: 9, epoch: EPOCH } }, () => {});
    const { value } = await link.next();
    await link.return(undefined);
    expect(value).to.include({ kind: 'start', sequence: 10, epoch: 'renewed' });
    expect(b.events.slice(-2)).to.deep.equal(['caught up', 'renewed above 9']);
  });

  it('let gateways use their caches only for a while after they published themselves', () => {
    expect(b.feed.completeUntil).to.be.within(performance.now(), performance.now() + 2500);
  });

  it('wait the whole time where they cannot read who the others are', async () => {
    a.before = (what) => {
      if (what === 'read') throw new Error('The database does not answer.');
    };
    commit(6);
    expect(await timeOf(a.feed.confirmed(6))).to.be.within(FEED_LOST_MS, FEED_LOST_MS + 300);
  });

  longTest('wait no longer than that where the database does not answer who the others are', async () => {
    a.before = (what) => (what === 'read' ? new Promise(() => {}) : Promise.resolve());
    commit(6);
    expect(await timeOf(a.feed.confirmed(6))).to.be.at.least(FEED_LOST_MS);
  });

  it('count the gateways of a core that ended until those cannot use their caches, but do not list it', async () => {
    await follow('g', b);
    await links.pop()?.return(undefined);
    await b.feed.close();
    commit(6);
    expect(await timeOf(a.feed.confirmed(6))).to.be.within(FEED_LOST_MS, FEED_LOST_MS + 300);
    expect((await a.feed.processes()).map(({ instance }) => instance)).to.deep.equal(['a']);
    b.row = { ...b.row!, written: performance.now() - 1500 };
    commit(7);
    expect(await timeOf(a.feed.confirmed(7))).to.be.below(500);
  });

  longTest('count the gateways of a core that was killed until its row has expired', async () => {
    await follow('g', b);
    b.before = () => Promise.reject(new Error('It was killed.'));
    b.row = { ...b.row!, written: performance.now() - 3500 };
    commit(6);
    expect(await timeOf(a.feed.confirmed(6))).to.be.within(FEED_LOST_MS, FEED_LOST_MS + 300);
    b.row = { ...b.row!, written: performance.now() - 5000 };
    commit(7);
    expect(await timeOf(a.feed.confirmed(7))).to.be.below(500);
  });

  it('wait for the gateway that runs within another core', async () => {
    const all = new Core(cores, 'all', true);
    await all.feed.start();
    const publish = all.feed.publish.bind(all.feed);
    all.feed.publish = (changes) => {
      setTimeout(() => publish(changes), 100);
    };
    commit(6);
    expect(await timeOf(a.feed.confirmed(6))).to.be.within(90, FEED_LOST_MS);
  });

  it('list each other and all gateways, each once, with the newest that is known of it', async () => {
    await follow('g', a, b);
    await follow('h', b);
    commit(6);
    confirm('g', 6, a);
    await until(async () => {
      const listed = await a.feed.processes();
      return (
        listed.length === 4 && listed.every(({ instance, sequence }) => instance === 'h' || sequence === 6)
      );
    });
    for (const [core, other] of [
      [a, 'b'],
      [b, 'a'],
    ] as const)
      expect((await core.feed.processes()).map(({ instance }) => instance)).to.deep.equal([
        core.id,
        other,
        'g',
        'h',
      ]);
  });
});
