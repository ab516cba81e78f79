/** What notifications list against what readers got before and after, on projects made up at random. */

import { expect } from 'chai';
import type { AffectedItem } from '../../core/webhooks/message.ts';
import { WebhookQueueStore } from '../../core/webhooks/queues/webhook-queue-store.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { isLongForm } from '../support/long-form.ts';
import { readTagged } from '../support/projects/tagged-answers.ts';
import { Random } from '../support/random/random.ts';
import { randomChanges } from '../support/random/random-changes.ts';
import { randomContent } from '../support/random/random-content.ts';
import type { Step } from '../support/random/steps.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { TwinProject } from '../support/random/twin-project.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const PROJECTS = isLongForm ? 200 : 4;
const ROUNDS = 4;

const seeds = testSeeds(
  PROJECTS,
  Array.from({ length: PROJECTS / 2 }, (_, index) => 7000 + 2 * index),
);

interface DeliveredItem {
  readonly system: {
    readonly id: string;
    readonly codename: string;
    readonly type: string;
    language: string;
  };
  readonly elements: Readonly<Record<string, Record<string, unknown>>>;
}

/** By `item/language`, ids, because a codename may have changed. */
type Delivered = ReadonlyMap<string, DeliveredItem>;

describe('webhooks: listed items against changes of published content', function () {
  this.timeout(120_000);
  let service: RunningService;
  let listed = 0;
  before(async () => {
    service = await startService();
  });
  after(async () => {
    await service.stop();
    expect(listed, 'that anything was listed').to.be.greaterThan(10 * (seeds.length - 1));
  });

  async function deliver({ id, content }: TwinProject): Promise<Delivered> {
    const found = new Map<string, DeliveredItem>();
    for (const language of content.languages) {
      const query = `language=${language.codename}&depth=0`;
      const { text } = await readTagged(service.core, { channel: 'published', path: `/${id}/items`, query });
      // The fallback of a translation is another variant's.
      for (const item of (JSON.parse(text) as { items: DeliveredItem[] }).items)
        if (item.system.language === language.codename) found.set(`${item.system.id}/${language.id}`, item);
    }
    return found;
  }

  /** A paused webhook that receives every event. */
  async function listen(project: TwinProject): Promise<() => Promise<AffectedItem[][]>> {
    const { operations } = service.core;
    const { id } = await operations.inProject(project.id, null, async (transaction) => {
      const input = { name: 'All', url: 'https://example.com/', contentChanges: [], workflowSteps: [] };
      const webhook = await addWebhook(transaction, input);
      await transaction.tx.run('UPDATE webhook SET enabled = 0 WHERE id = ?', [webhook.id]);
      return webhook;
    });
    const { sql } = operations.storage;
    const row = await sql.get<{ queue: number }>(
      'SELECT number AS queue FROM webhook_lane WHERE webhook = ?',
      [id],
    );
    let seen = 0;
    return async () => {
      const all = await new WebhookQueueStore(operations.storage).upcoming(row?.queue ?? 0, 10_000);
      const fresh = all.slice(seen).map(({ message }) => message.items as AffectedItem[]);
      seen = all.length;
      return fresh;
    };
  }

  for (const seed of seeds) {
    it(`list every public item that changed and no other, seed ${seed}`, async () => {
      const random = new Random(seed);
      const project = await TwinProject.create(service.core, `Affected ${seed}`, 'service');
      const { draft, batches } = randomContent(random);
      for (const batch of batches) await project.apply(batch);
      await service.core.operations.settled();
      const nextItems = await listen(project);
      let before = await deliver(project);
      for (let round = 0; round < ROUNDS; round += 1)
        for (const batch of randomChanges(draft, random)) {
          const languages = new Map(project.content.languages.map(({ codename, id }) => [codename, id]));
          await project.apply(batch);
          for (const { codename, id } of project.content.languages) languages.set(codename, id);
          await service.core.operations.settled();
          const after = await deliver(project);
          const say = `seed ${seed}, after ${JSON.stringify(batch).slice(0, 600)}`;
          const notified = new Set<string>();
          for (const items of await nextItems()) {
            const keys = items.map(({ id, language }) => `${id}/${languages.get(language)}`);
            expect(new Set(keys).size, `listed twice, ${say}`).to.equal(keys.length);
            for (const [index, key] of keys.entries()) {
              const { id, codename, language, type } = items[index]!;
              const { system } = after.get(key) ?? before.get(key) ?? {};
              const public_ = { ...system, ...(after.has(key) && { codename, language, type }) };
              expect(public_, `not what readers get, ${say}`).to.include({ id });
              expect(system, `not what readers get, ${say}`).to.include(public_);
              notified.add(key);
            }
          }
          listed += notified.size;
          const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
            (key) => shownOf(before.get(key), batch) !== shownOf(after.get(key), batch),
          );
          const itself = itemsNamed(batch, [...before.values(), ...after.values()]);
          const missed = changed.filter((key) => !notified.has(key) && !itself.has(key.slice(0, 36)));
          expect(missed, `changed for readers and not listed, ${say}`).to.deep.equal([]);
          before = after;
        }
    });
  }
});

/**
 * An item as readers get it. What hyperlinks lead to comes and goes with publishing the target, which lists the
 * target alone; only where it is renamed those that show it are listed.
 */
function shownOf(item: DeliveredItem | undefined, batch: readonly Step[]): string {
  const isRename = batch.some((step) => step.do === 'item' || step.do === 'type');
  return JSON.stringify(item, (key, value) => (key === 'links' && !isRename ? undefined : value)) ?? '';
}

/** Items that the steps rename or move: `content_item upsert` lists the rest. */
function itemsNamed(batch: readonly Step[], items: readonly DeliveredItem[]): ReadonlySet<string> {
  const codenames = batch.flatMap((step) => (step.do === 'item' ? [step.codename] : []));
  return new Set(
    items.filter(({ system }) => codenames.includes(system.codename)).map(({ system }) => system.id),
  );
}
