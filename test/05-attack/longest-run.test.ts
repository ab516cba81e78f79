import { expect } from 'chai';
import { Random } from '../support/random/random.ts';
import { type AttackService, startAttackService } from './attack-service.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { HOSTILE_KINDS, hostileRequest } from './hostile-requests.ts';
import { SIZES } from './sizes.ts';

const long = process.env['HEADWATER_TEST_LONG'] === '1';
const seed = Number(process.env['HEADWATER_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const TIMES = long ? 30 : 2;
/** The bound. */
const MOST_MS = 50;
/** What takes longer is work that yields; the client goes away. */
const PATIENCE_MS = long ? 5000 : 400;

describe('the main thread', function () {
  this.timeout(long ? 0 : 60_000);
  let service: AttackService;
  before(async () => {
    service = await startAttackService(SIZES, { PIPELINE__OFF: 'rate-limit' });
    const random = new Random(1);
    for (const kind of HOSTILE_KINDS) await measure(hostileRequest(kind, random, service.attacked));
    const [valid] = hostileBodies(random, service.attacked);
    for (let time = 0; time < 20; time += 1)
      await measure({ ...valid!, body: Buffer.from('{"elements":[]}') });
  });
  after(() => service?.end());

  /** The longest run while it is answered, and after that what is left of the work when its client has gone. */
  async function measure(asked: {
    readonly path: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Buffer;
  }) {
    await service.longestRun();
    const outcome = await fetch(`${service.url}${asked.path}`, {
      method: asked.method ?? 'GET',
      headers: {
        ...(asked.body && {
          'content-type': 'application/json',
          authorization: `Bearer ${service.attacked.managementKey}`,
        }),
        ...asked.headers,
      },
      ...(asked.body && { body: asked.body as Uint8Array<ArrayBuffer> }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
      .then(async (answer) => `${answer.status} ${(await answer.text()).length}`)
      .catch((error: Error) => error.name);
    return { worst: await service.longestRun(), outcome };
  }

  it(`runs for at most ${MOST_MS} ms of CPU without yielding, whatever is asked`, async () => {
    const random = new Random(seed);
    const found: { readonly what: string; readonly worst: number }[] = [];
    for (const kind of HOSTILE_KINDS)
      for (let time = 0; time < TIMES; time += 1) {
        const asked = hostileRequest(kind, random, service.attacked);
        const { worst, outcome } = await measure(asked);
        found.push({ what: `${kind}, ${outcome}: ${asked.path.slice(0, 300)}`, worst });
      }
    judge(found);
  });

  it(`runs for at most ${MOST_MS} ms of CPU without yielding, whatever is sent`, async () => {
    const found: { readonly what: string; readonly worst: number }[] = [];
    for (const sent of hostileBodies(new Random(seed), service.attacked)) {
      const { worst, outcome } = await measure(sent);
      found.push({
        what: `${sent.name}, ${outcome}: ${sent.method} ${sent.path} (${sent.body.length} bytes)`,
        worst,
      });
    }
    judge(found);
  });

  function judge(found: { readonly what: string; readonly worst: number }[]): void {
    const sorted = found.sort((one, other) => other.worst - one.worst);
    const written = sorted
      .slice(0, 40)
      .map(({ what, worst }) => `      ${worst.toFixed(1).padStart(7)} ms  ${what}`);
    console.log(written.slice(0, long ? 10 : 3).join('\n'));
    const beyond = sorted.filter(({ worst }) => worst > MOST_MS);
    expect(
      beyond.length,
      `HEADWATER_TEST_SEED=${seed}\n${written.slice(0, beyond.length).join('\n')}`,
    ).to.equal(0);
    expect(service.errorLines()).to.deep.equal([]);
  }
});
