import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { type AttackService, startAttackService } from './attack-service.ts';
import { HOSTILE_KINDS, type HostileKind, hostileRequest, requestBytes } from './hostile-requests.ts';
import { SIZES } from './sizes.ts';
import { threadsCpu } from './thread-cpu.ts';

const seed = testSeed();

const TIMES = isLongForm ? 30 : 1;
/** CPU that a request may use after its client has disconnected. */
const MOST_MS = 100;
/** By then the kernel has reported the disconnected client to the service. */
const GONE_MS = 3;
/** Work that continues uses at least that much of this window; housekeeping uses less. */
const WINDOW_MS = 40;
const QUIET = 0.25;
const TIMEOUT_MS = 5000;

/** A transformation that has begun is finished for later requests. That happens in other processes. */
describe('a request whose client has disconnected', function () {
  this.timeout(isLongForm ? 0 : 120_000);
  let service: AttackService;
  before(async () => {
    service = await startAttackService(SIZES);
    // Code that has run once is compiled.
    for (const kind of HOSTILE_KINDS) await leave(service, kind, new Random(1), 100);
  });
  after(() => service?.end());

  for (const kind of HOSTILE_KINDS)
    it(`uses at most ${MOST_MS} ms of CPU from then on: ${kind}`, async () => {
      const random = new Random(seed + HOSTILE_KINDS.indexOf(kind));
      for (let time = 0; time < TIMES; time += 1) {
        const { cpu, after, path } = await leave(service, kind, random, random.int(5, 60));
        expect(
          cpu,
          `HEADWATER_TEST_SEED=${seed}, left after ${after} ms: ${path.slice(0, 2000)}`,
        ).to.be.at.most(MOST_MS);
      }
      expect(service.errorLines()).to.deep.equal([]);
    });
});

/** Sends the request, disconnects, and waits until the service is idle. */
async function leave(service: AttackService, kind: HostileKind, random: Random, after: number) {
  await rest(service.pid);
  const asked = hostileRequest(kind, random, service.attacked);
  const socket = connect({ port: service.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.on('data', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(requestBytes(asked));
  await pause(after);
  socket.destroy();
  await pause(GONE_MS);
  const gone = threadsCpu(service.pid);
  const rested = await rest(service.pid);
  return { cpu: rested - gone, after, path: asked.path };
}

/** @returns the CPU time used when the last window began in which next to nothing was done */
async function rest(pid: number): Promise<number> {
  const until = performance.now() + TIMEOUT_MS;
  for (let before = threadsCpu(pid); ; ) {
    await pause(WINDOW_MS);
    const now = threadsCpu(pid);
    if (now - before < WINDOW_MS * QUIET || performance.now() > until) return before;
    before = now;
  }
}
