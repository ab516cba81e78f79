import { expect } from 'chai';
import { isLongForm } from '../support/long-form.ts';
import { fieldsOf } from '../support/oracle/content.ts';
import { FeedTags, readTagged, type TaggedAnswer } from '../support/projects/tagged-answers.ts';
import { Random } from '../support/random/random.ts';
import { randomChanges } from '../support/random/random-changes.ts';
import { randomContent } from '../support/random/random-content.ts';
import { queryText, randomQuery } from '../support/random/random-query.ts';
import type { ContentRequest } from '../support/random/read-content.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { TwinProject } from '../support/random/twin-project.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const PROJECTS = isLongForm ? 300 : 1;
/** Rounds of changes, each of some transactions. */
const ROUNDS = 5;
const POOL = 60;
const BASES = { self: 'https://delivery.example', assets: 'https://assets.example' };

const given = process.env['HEADWATER_TEST_SEED'];
const seeds = testSeeds(
  PROJECTS,
  Array.from({ length: PROJECTS / 2 }, (_, index) => 5000 + index),
);

/** Answers to one request over time: equal tags mean equal bytes, and vice versa. */
class EntityTags {
  readonly #bytes = new Map<string, string>();
  readonly #tags = new Map<string, string>();

  note(key: string, { status, headers, text, streamed }: TaggedAnswer): void {
    const etag = headers['etag'];
    if (status !== 200 || streamed) return;
    expect(etag, key).to.match(/^"[^"]+"$/);
    const bytes = `${headers['x-continuation'] ?? ''} ${text}`;
    expect(this.#bytes.get(`${key} ${etag}`) ?? bytes, `one tag, two answers: ${key}`).to.equal(bytes);
    expect(this.#tags.get(`${key} ${bytes}`) ?? etag, `one answer, two tags: ${key}`).to.equal(etag);
    this.#bytes.set(`${key} ${etag}`, bytes);
    this.#tags.set(`${key} ${bytes}`, etag ?? '');
  }
}

describe('tags of answers, against answers that were not cached', function () {
  this.timeout(120_000);
  let service: RunningService;
  const count = { compared: 0, stale: 0, unkept: 0, known: 0 };

  before(async () => {
    service = await startService();
  });
  after(async () => {
    await service.stop();
    if (given || isLongForm)
      console.info(
        `      ${count.known} of known queries, ${count.compared} compared, ${count.stale} were stale, ${count.unkept} not to be kept`,
      );
  });

  for (const seed of seeds) {
    it(`stay valid as long as no tag changed, seed ${seed}`, async () => {
      const random = new Random(seed);
      const project = await TwinProject.create(service.core, `Tags ${seed}`, 'service');
      const feedTags = new FeedTags(service.core, project.id);
      const entityTags = new EntityTags();
      const { draft, batches } = randomContent(random);
      for (const batch of batches) await project.apply(batch);
      const pool = Array.from({ length: POOL }, () => request(random, project));
      const kept = new Map<string, TaggedAnswer>();
      let requests = 0;
      const compareAll = async (done: string) => {
        for (const asked of pool) {
          const key = `${asked.channel} ${asked.path}?${asked.query}`;
          // With a parameter that means nothing, so that core does not know the query.
          const fresh = await readTagged(service.core, {
            ...asked,
            query: `${asked.query}&new${requests++}`,
          });
          entityTags.note(key, fresh);
          const known = await readTagged(service.core, asked);
          entityTags.note(key, known);
          // Without tags it may differ while documents are compiled anew.
          if (fresh.tags) {
            count.known += 1;
            expect(shown(known), `seed ${seed}: ${key}\n  known, after ${done}`).to.deep.equal(shown(fresh));
          }
          const old = kept.get(key);
          if (old && feedTags.holds(old)) {
            count.compared += 1;
            const say = `seed ${seed}: ${key}\n  kept by ${old.tags?.join(' ')}\n  after ${done}`;
            expect({ status: fresh.status, text: fresh.text }, say).to.deep.equal({
              status: old.status,
              text: old.text,
            });
            continue;
          }
          if (old) count.stale += 1;
          if (!fresh.tags) count.unkept += 1;
          kept.set(key, fresh);
        }
      };
      await compareAll('the start');
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const batch of randomChanges(draft, random)) {
          await project.apply(batch);
          // Some answers come while stale documents wait to be compiled anew.
          if (random.chance(0.6)) await service.core.operations.settled();
          await compareAll(JSON.stringify(batch).slice(0, 600));
        }
        await service.core.operations.settled();
        await compareAll('recompiling');
        pool.splice(0, 10, ...Array.from({ length: 10 }, () => request(random, project)));
      }
    });
  }
});

/** What must be equal, whether core knows the query or not. */
function shown({ status, text, tags, headers }: TaggedAnswer) {
  return { status, text, tags: tags && [...tags].sort(), etag: headers['etag'] };
}

function request(random: Random, project: TwinProject): ContentRequest {
  const { content } = project;
  const channel = random.pick(['published', 'latest'] as const);
  if (random.chance(0.5)) {
    const made = randomQuery(random, content, BASES);
    return {
      channel: made.channel,
      path: `/${project.id}${made.path}`,
      query: queryText(made.parameters, 'percent'),
    };
  }
  const type = random.pick(content.types);
  const fields = fieldsOf(content, type);
  const field = fields.map(({ codename }) => codename)[random.int(0, 3)] ?? 'title';
  const links = fields.filter(({ element }) => element.kind === 'modular_content');
  const item = () => random.pick(content.items);
  const [path, ...filters] = random.pick([
    () => [`/items/${item().codename}`],
    () => [`/items/${item().codename}`],
    () => ['/items', `system.type=${type.codename}`],
    () => ['/items', `system.type=${type.codename}`, `order=elements.${field}[desc]`, 'limit=3'],
    () => ['/items', `system.type[in]=${type.codename},nothing`, 'includeTotalCount', 'limit=1'],
    () => ['/items', `system.codename[in]=${item().codename},${item().codename}`],
    () => ['/items', `system.type=${type.codename}`, `elements.${field}[contains]=${item().codename}`],
    // Filters that name items, of which core remembers pages too.
    () => ['/items', `system.id[in]=${item().id},${item().id}`],
    () => [
      '/items',
      `system.type=${type.codename}`,
      `elements.${random.pick([field, ...links.map(({ codename }) => codename)])}[any]=${item().codename},${item().codename}`,
    ],
    () => ['/items-feed', `system.type=${type.codename}`],
  ])();
  const parameters = [
    ...filters,
    ...(random.chance(0.6) ? [`depth=${random.pick([0, 2, 5])}`] : []),
    ...(random.chance(0.2) ? [`elements=${field}`] : []),
    ...(random.chance(0.3) ? [`language=${random.pick(content.languages).codename}`] : []),
  ];
  return { channel, path: `/${project.id}${path}`, query: parameters.join('&') };
}
