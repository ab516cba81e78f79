/**
 * Random content, random queries: what the service answers against what the specification says, worked out
 * by the oracle. A failure prints its seed; HEADWATER_TEST_SEED=<seed> runs that project alone.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCore } from '../../core/create-core.ts';
import { expectedAnswer } from '../support/oracle/answer.ts';
import { differences } from '../support/oracle/compare.ts';
import type { Bases } from '../support/oracle/urls.ts';
import { askCore } from '../support/random/ask.ts';
import { Random } from '../support/random/random.ts';
import { randomChanges } from '../support/random/random-changes.ts';
import { randomContent } from '../support/random/random-content.ts';
import { queryText, type RandomQuery, randomQuery } from '../support/random/random-query.ts';
import { type RunningCore, TwinProject } from '../support/random/twin-project.ts';

const PROJECTS = 28;
/** Content as made, then after changes, then after more. */
const STAGES = 3;
const QUERIES = 30;
const START = Date.parse('2024-01-01T00:00:00Z');
const BASES: Bases = { self: 'https://deliver.example/delivery', assets: 'https://assets.example/files' };

const given = process.env['HEADWATER_TEST_SEED'];
const seeds = given
  ? [Number(given)]
  : [
      ...Array.from({ length: PROJECTS / 2 }, (_, index) => 1000 + index),
      ...Array.from({ length: PROJECTS / 2 }, () => Math.floor(Math.random() * 2 ** 31)),
    ];

describe('delivery and preview, against the oracle', function () {
  this.timeout(120_000);
  let folder: string;
  let core: RunningCore;
  let ticks = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-differential-'));
    core = await createCore({
      dataDir: folder,
      vendor: { header: ['SVC'], mediaType: 'service' },
      log: { info() {}, warn() {}, error: console.error },
      // Moves at every other look, so that times differ, but not always.
      now: () => {
        ticks += 1;
        return new Date(START + Math.floor(ticks / 2) * 250);
      },
    });
  });
  after(async () => {
    await core.close();
    await rm(folder, { recursive: true });
  });

  for (const seed of seeds) {
    it(`answers as the oracle does, seed ${seed}`, async () => {
      const random = new Random(seed);
      const project = await TwinProject.create(core, `Seed ${seed}`, 'service');
      const { draft, batches } = randomContent(random);
      for (const batch of batches) await project.apply(batch);
      for (let stage = 0; stage < STAGES; stage += 1) {
        if (stage > 0) for (const batch of randomChanges(draft, random)) await project.apply(batch);
        for (let asked = 0; asked < QUERIES; asked += 1) {
          const query = randomQuery(random, project.content, BASES);
          const style = random.pick(['raw', 'percent', 'form'] as const);
          const found = await differ(project, query, style);
          if (found.length === 0) continue;
          const smaller = await shrink(
            query,
            async (candidate) => (await differ(project, candidate, style)).length > 0,
          );
          const again = await differ(project, smaller, style);
          // While documents are being recompiled a difference may be gone by now; then the first one is told.
          const [told, lines] = again.length > 0 ? [smaller, again] : [query, ['(gone since)', ...found]];
          throw new Error(report(seed, stage, told, style, lines));
        }
      }
    });
  }

  async function differ(
    project: TwinProject,
    { channel, path, parameters }: RandomQuery,
    style: 'raw' | 'percent' | 'form',
  ): Promise<string[]> {
    const query = queryText(parameters, style);
    const expected = expectedAnswer(project.content, channel, path, query, BASES);
    const question = { channel, path: `/${project.id}${path}`, query };
    const answer = await askCore(core, question, BASES).catch((error: Error) => error);
    if (answer instanceof Error) return [answer.stack ?? answer.message];
    return differences(expected, answer, `${BASES.self}/${project.id}${path}`);
  }
});

/** Leaves out one parameter after another as long as the answers still differ. */
async function shrink(
  query: RandomQuery,
  fails: (query: RandomQuery) => Promise<boolean>,
): Promise<RandomQuery> {
  for (let at = 0; at < query.parameters.length; at += 1) {
    const smaller = { ...query, parameters: query.parameters.filter((_, index) => index !== at) };
    if (await fails(smaller)) return shrink(smaller, fails);
  }
  return query;
}

function report(
  seed: number,
  stage: number,
  query: RandomQuery,
  style: 'raw' | 'percent' | 'form',
  found: string[],
) {
  const request = `${query.channel} ${query.path}?${queryText(query.parameters, style)}`;
  return [`seed ${seed}, stage ${stage}: ${request}`, ...found.map((line) => `  ${line}`)].join('\n');
}
