/**
 * Random content, random queries: what the service answers against what the specification says, worked out
 * by the oracle. A failure prints its seed; HEADWATER_TEST_SEED=<seed> runs that project alone.
 */

import { expect } from 'chai';
import { isLongForm } from '../support/long-form.ts';
import { expectedAnswer } from '../support/oracle/answer.ts';
import { differences } from '../support/oracle/compare.ts';
import type { Bases } from '../support/oracle/urls.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { Random } from '../support/random/random.ts';
import { randomChanges } from '../support/random/random-changes.ts';
import { randomContent } from '../support/random/random-content.ts';
import {
  queryText,
  type RandomQuery,
  randomQuery,
  randomRepetition,
} from '../support/random/random-query.ts';
import { readFromCore, readOverHttp } from '../support/random/read-content.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { TwinProject } from '../support/random/twin-project.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const PROJECTS = isLongForm ? 400 : 2;
/** Content as made, then after changes, then after more. */
const STAGES = 3;
const QUERIES = 30;
/** One in so many passes socket, gateway and plugins. */
const OVER_HTTP = 6;
/** One in so many has many conditions on the same attributes. */
const REPEATED = 4;
/** Listings of a project that are requested again after each change, because core remembers pages of theirs. */
const LISTINGS = isLongForm ? Number.POSITIVE_INFINITY : 6;
type Style = 'raw' | 'percent' | 'form';
interface Asked {
  readonly query: RandomQuery;
  readonly style: Style;
}

const seeds = testSeeds(
  PROJECTS,
  Array.from({ length: PROJECTS / 2 }, (_, index) => 1000 + index),
);

describe('delivery and preview, against the oracle', function () {
  this.timeout(120_000);
  let service: RunningService;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const seed of seeds) {
    it(`answers as the oracle does, seed ${seed}`, async () => {
      const random = new Random(seed);
      const project = await TwinProject.create(service.core, `Seed ${seed}`, 'service');
      const { draft, batches } = randomContent(random);
      for (const batch of batches) await project.apply(batch);
      const listings: Asked[] = [];
      for (let stage = 0; stage < STAGES; stage += 1) {
        if (stage > 0)
          for (const batch of randomChanges(draft, random)) {
            await project.apply(batch);
            await askAgain(project, listings, `seed ${seed}, stage ${stage}`);
          }
        // Half of the requests run while stale documents may still be waiting to be compiled anew.
        if (random.chance(0.5)) await service.core.operations.settled();
        for (let asked = 0; asked < QUERIES; asked += 1) {
          const query =
            asked % REPEATED === 0
              ? randomRepetition(random, project.content, bases())
              : randomQuery(random, project.content, bases());
          const style = random.pick(['raw', 'percent', 'form'] as const);
          const http = asked % OVER_HTTP === 0;
          if (query.path === '/items' && listings.length < LISTINGS) listings.push({ query, style });
          const differs = (one: RandomQuery) => differ(project, one, style, http);
          const found = await differs(query);
          if (found.length === 0) continue;
          const smaller = await shrink(query, async (one) => (await differs(one)).length > 0);
          const again = await differs(smaller);
          // While documents are being recompiled a difference may have ended by now; then the first one is reported.
          const [reported, lines] = again.length > 0 ? [smaller, again] : [query, ['(gone since)', ...found]];
          throw new Error(report(`seed ${seed}, stage ${stage}`, reported, style, lines));
        }
      }
    });
  }

  it('counts the items of deep pages as the views show them, after all these changes', async () => {
    expect(await wrongBlocks(service.core.operations.storage.sql)).to.deep.equal([]);
  });

  function bases(): Bases {
    return { self: `${service.url}/delivery`, assets: `${service.url}/assets` };
  }

  /** Twice while stale documents may be waiting to be compiled anew, and twice after that: the second time, core recalls the page. */
  async function askAgain(project: TwinProject, listings: readonly Asked[], place: string): Promise<void> {
    for (const recompiled of [false, true]) {
      if (recompiled) await service.core.operations.settled();
      for (const { query, style } of listings) {
        const found = await differ(project, query, style, false, 2);
        if (found.length > 0) throw new Error(report(`${place}, again`, query, style, found));
      }
    }
  }

  /** Differences of the first of so many answers that differs. */
  async function differ(
    project: TwinProject,
    query: RandomQuery,
    style: Style,
    http: boolean,
    times = 1,
  ): Promise<string[]> {
    const { channel, path, parameters } = query;
    const surface = channel === 'published' ? 'delivery' : 'preview';
    const base = { ...bases(), self: `${service.url}/${surface}` };
    const text = queryText(parameters, style);
    const expected = expectedAnswer(project.content, channel, path, text, base);
    const request = { channel, path: `/${project.id}${path}`, query: text };
    const authorization = `Bearer ${project.previewKey}`;
    for (let time = 0; time < times; time += 1) {
      const asked = http
        ? readOverHttp(base.self, request, { authorization })
        : readFromCore(service.core, request, base);
      const answer = await asked.catch((error: Error) => error);
      if (answer instanceof Error) return [answer.stack ?? answer.message];
      const found = differences(expected, answer, `${base.self}/${project.id}${path}`);
      if (found.length > 0) return found;
    }
    return [];
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

function report(place: string, query: RandomQuery, style: Style, found: string[]) {
  const request = `${query.channel} ${query.path}?${queryText(query.parameters, style)}`;
  return [`${place}: ${request}`, ...found.map((line) => `  ${line}`)].join('\n');
}
