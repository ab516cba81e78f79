import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { ApiCalls } from './api-calls.ts';
import { exportProject, importCopy } from './attack-project.ts';
import { type ProbedService, startProbed } from './attack-service.ts';
import { problemOf } from './documented-answer.ts';
import type { KnownValues } from './known-values.ts';
import { MUTATIONS, type MutatedRequest, type Mutation } from './mutated-requests.ts';
import { type RawReply, rawCall } from './raw-call.ts';

const given = process.env['HEADWATER_TEST_SEED'];
const first = testSeed();

const INPUTS = given ? 1 : isLongForm ? 10_000 : 100;
/** Seeds of inputs that were once answered wrongly, by kind. */
const FOUND: Readonly<Record<Mutation, readonly number[]>> = {
  query: [],
  header: [1373235521, 1794975149],
  path: [],
  body: [],
};
/** Requests under way at a time. */
const PARALLEL = 4;
/** A copy of the project serves so many inputs; then it has been changed and deleted enough. */
const PER_COPY = 500;
/** Findings that are written out; the rest are counted. */
const SHOWN = 12;
const MEGABYTE = 2 ** 20;
const MOST_GROWTH = 32 * MEGABYTE;

describe('nearly right requests', function () {
  this.timeout(isLongForm ? 0 : 120_000);
  let service: ProbedService;
  let calls: ApiCalls;
  let archive: Uint8Array<ArrayBuffer>;
  let known: KnownValues;
  before(async () => {
    service = await startProbed(await mkdtemp(join(tmpdir(), 'headwater-attack-')), {
      // More requests than a key may send, and caches that are full from the beginning.
      PIPELINE__OFF: 'rate-limit',
      PLUGINS__RESPONSE_CACHE__MAX_BYTES: '1048576',
      PLUGINS__FILE_CACHE__MAX_BYTES: '0',
      // Or most changed headers would end at a proxy that is not trusted.
      PLUGINS__HTTPS_ONLY__REQUIRED: 'false',
      LOG_LEVEL: 'warn',
    });
    calls = await ApiCalls.of(service.url);
    archive = await exportProject(service);
    known = await importCopy(service, calls, archive);
  });
  after(() => service?.end());

  for (const mutation of Object.keys(MUTATIONS) as Mutation[])
    it(`${INPUTS} with a changed ${mutation} are answered as documented`, async () => {
      const findings: string[] = [];
      const statuses = new Map<string, number>();
      const send = async (seed: number): Promise<void> => {
        const request = MUTATIONS[mutation](new Random(seed), calls, known);
        let reply: RawReply | undefined;
        let problem: string | undefined;
        try {
          reply = await rawCall(service.port, request);
          problem = problemOf(request, reply);
        } catch (error) {
          problem = (error as Error).message;
        }
        const status = `${reply?.status ?? 'none'}`;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (problem !== undefined) findings.push(`${written(seed, request)}\n    ${problem}`);
      };
      if (!given) for (const seed of FOUND[mutation]) await send(seed);
      // Memory grows to its steady state during the first inputs.
      let memory = 0;
      for (let done = 0; done < INPUTS; done += PER_COPY) {
        if (isLongForm) known = await importCopy(service, calls, archive);
        const count = Math.min(PER_COPY, INPUTS - done);
        let next = 0;
        await Promise.all(
          Array.from({ length: PARALLEL }, async () => {
            while (next < count) await send((first + done + next++) >>> 0);
          }),
        );
        if (done === 0) memory = await service.memory();
      }
      const growth = (await service.memory()) - memory;
      console.log(
        `      ${[...statuses]
          .sort()
          .map(([status, count]) => `${status}: ${count}`)
          .join(', ')}; memory ${(growth / MEGABYTE).toFixed(1)} MB more`,
      );
      expect(findings.length, `${findings.length} findings\n${findings.slice(0, SHOWN).join('\n')}`).to.equal(
        0,
      );
      expect(service.errorLines()).to.deep.equal([]);
      expect(growth).to.be.at.most(MOST_GROWTH);
    });
});

function written(seed: number, { method, target, headers, body, call }: MutatedRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value.slice(0, 200)}`).join(' | ');
  return `  HEADWATER_TEST_SEED=${seed} ${call.id}: ${method} ${target.slice(0, 600)}\n    ${lines.slice(0, 800)}\n    ${body?.toString().slice(0, 1200) ?? ''}`;
}
