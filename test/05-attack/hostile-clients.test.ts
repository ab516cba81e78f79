import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Child, startChild } from '../bench/child.ts';
import { cpuMilliseconds } from '../bench/process-usage.ts';
import { isLongForm } from '../support/long-form.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { type AttackService, startAttackService } from './attack-service.ts';
import type { HostileOrder, HostileReply } from './hostile-client-order.ts';
import type { OthersOrder } from './measure-others.ts';
import { type Call, type OthersResult, quantile } from './other-clients.ts';
import { SIZES } from './sizes.ts';

const seed = testSeed();

/** The short form runs beside other tests on few cores: its bounds are wide, and still far below any blocking. */
const FORM = isLongForm
  ? { idle: 15, attack: 60, itemMs: 20, itemTimes: 3, readyMs: 100 }
  : { idle: 1, attack: 3, itemMs: 1000, itemTimes: 20, readyMs: 500 };
const CLIENTS = 64;
const SETTLE_MS = 500;
const TRIES = 4;

describe('hostile clients of one project', function () {
  this.timeout(isLongForm ? 0 : 120_000);
  let service: AttackService;
  let others: Child<OthersOrder, OthersResult>;
  let clients: Child<HostileOrder, HostileReply>;
  before(async () => {
    service = await startAttackService(SIZES);
    others = startChild(new URL('measure-others.ts', import.meta.url).href);
    clients = startChild(new URL('hostile-clients.ts', import.meta.url).href);
  });
  after(async () => {
    await clients?.end();
    await others?.end();
    await service?.end();
  });

  it('are served by threads of lower priority than the main thread', () => {
    const threads = readdirSync(`/proc/${service.pid}/task`);
    const nice = (thread: string) => {
      const stat = readFileSync(`/proc/${service.pid}/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    };
    expect(nice(`${service.pid}`)).to.equal(0);
    expect(threads.filter((thread) => nice(thread) === 10).length).to.equal(24);
  });

  it(`do not affect other clients (HEADWATER_TEST_SEED=${seed})`, async () => {
    // A busy machine makes others wait for seconds; clients that affect them do so each time.
    let { excess, report } = await attack();
    for (let tries = 1; tries < TRIES && excess > 1; tries += 1) {
      const again = await attack();
      if (again.excess < excess) ({ excess, report } = again);
    }
    expect(excess, report).to.be.at.most(1);
    expect(service.errorLines()).to.deep.equal([]);
  });

  /** @returns the worst p99 of others during an attack, in parts of what is allowed */
  async function attack(): Promise<{ excess: number; report: string }> {
    const { url, others: project } = service;
    const measure = (seconds: number) => others.ask({ target: { url, others: project }, seconds });
    // The first requests compile code, open files and warm the database.
    await measure(1);
    const idle = await measure(FORM.idle);
    const cpu = cpuMilliseconds(service.pid);
    const attacking = clients.ask({
      seed,
      port: service.port,
      tlsPort: service.tlsPort,
      target: service.attacked,
      clients: CLIENTS,
      seconds: FORM.attack,
    });
    const during = await measure(FORM.attack);
    const spent = cpuMilliseconds(service.pid) - cpu;
    const sent = await attacking;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

    const p99 = (call: Call) => quantile(during[call].took, 0.99);
    const calls = Object.keys(during) as Call[];
    const report = [
      `      ${CLIENTS} clients, ${sent.seconds.toFixed(1)} s, ${sent.requests} requests, ${(sent.bytes / 1e6).toFixed(0)} MB; CPU of the service ${spent} ms, of the clients ${sent.cpu.toFixed(0)} ms`,
      ...calls.map((call) => {
        const { took, errors } = during[call];
        return `      ${call.padEnd(10)} ${String(took.length).padStart(5)} calls  p50 ${quantile(took, 0.5).toFixed(1)} ms  p99 ${p99(call).toFixed(1)} ms  most ${Math.max(...took).toFixed(1)} ms  idle p99 ${quantile(idle[call].took, 0.99).toFixed(1)} ms  errors ${errors.length}`;
      }),
    ].join('\n');
    const outcomes = Object.entries(sent.outcomes).sort();
    console.log(report);
    if (isLongForm) console.log(`      ${outcomes.map(([name, count]) => `${name}: ${count}`).join(', ')}`);

    expect(
      calls.flatMap((call) => during[call].errors),
      report,
    ).to.deep.equal([]);
    expect(
      outcomes.filter(([name]) => / 5(?!03)\d\d$/.test(name)),
      report,
    ).to.deep.equal([]);
    const bound = Math.max(FORM.itemMs, FORM.itemTimes * quantile(idle.item.took, 0.99));
    return { excess: Math.max(p99('item') / bound, p99('ready') / FORM.readyMs), report };
  }
});
