import { WORKFLOW } from '../../content/workflow.ts';
import type { PlannedTarget } from '../../publishing/plan-act.ts';
import type { ProjectView } from '../../transaction/project-view.ts';
import { eachInTurns } from '../../turns/each-in-turns.ts';
import { inPieces } from '../../turns/in-pieces.ts';
import {
  type EventOperation,
  type EventType,
  kindOf,
  maskOf,
  type WebhookTriggers,
  WORKFLOW_STEP_KIND,
} from '../event-kinds.ts';
import { listWebhooks, type WebhookRegistration } from '../registrations.ts';
import { areShown } from './affected.ts';

/** What an act causes that webhooks can choose. */
interface Causes {
  /** Kinds of events, as bits. */
  kinds: number;
  /** Ids of workflow steps that variants move to. */
  readonly steps: Set<string>;
}

/**
 * The webhooks that an act, once it takes effect, calls; disabled ones are not among them.
 * @param act its name; only schedules take effect later
 * @param isRenamed a moved item gets another codename too
 */
export async function webhooksOfAct(
  view: ProjectView,
  act: string,
  targets: readonly PlannedTarget[],
  isRenamed = false,
): Promise<Pick<WebhookRegistration, 'id' | 'name'>[]> {
  const enabled = (await listWebhooks(view)).filter((webhook) => webhook.enabled);
  if (enabled.length === 0) return [];
  const causes = await causesOf(view, act, targets, isRenamed);
  return enabled
    .filter(({ triggers }) => isChosen(triggers, causes))
    .map(({ id, name }) => ({ id, name }))
    .sort((one, other) => (`${one.name} ${one.id}` < `${other.name} ${other.id}` ? -1 : 1));
}

function isChosen(triggers: WebhookTriggers, { kinds, steps }: Causes): boolean {
  if ((maskOf(triggers) & kinds & ~WORKFLOW_STEP_KIND) !== 0) return true;
  return triggers.workflowSteps.some(
    ({ transitionsTo }) =>
      steps.size > 0 && (transitionsTo.length === 0 || transitionsTo.some((step) => steps.has(step))),
  );
}

async function causesOf(
  view: ProjectView,
  act: string,
  targets: readonly PlannedTarget[],
  isRenamed: boolean,
): Promise<Causes> {
  const causes: Causes = { kinds: 0, steps: new Set() };
  const add = (type: EventType, operation: EventOperation) => {
    causes.kinds |= kindOf(type, operation);
  };
  const moved = new Set<number>();
  const wholeItems = await countsOfItems(view, targets);
  await eachInTurns(targets, ({ item, language, variant, change }) => {
    const { variants, drafts, published } =
      language === null ? (wholeItems.get(item.number) ?? NONE) : countsOf(variant);
    const type = language === null ? 'content_item' : 'content_item_variant';
    switch (change) {
      case 'publish':
      case 'replace':
        add('content_item_variant', 'publish');
        causes.steps.add(WORKFLOW.published.id);
        if (act === 'schedule' && variant?.scheduled_to === null) causes.steps.add(WORKFLOW.scheduled.id);
        break;
      case 'unpublish':
        add('content_item_variant', 'unpublish');
        // Where there is a newer draft, the variant is in this step already, or scheduled.
        if (drafts === 0) causes.steps.add(WORKFLOW.draft.id);
        break;
      case 'archive':
        if (published > 0) add(type, 'archive');
        if (variants > 0) causes.steps.add(WORKFLOW.archived.id);
        break;
      case 'restore':
        if (published > 0) add(type, 'restore_publish');
        if (drafts > 0) causes.steps.add(WORKFLOW.draft.id);
        if (drafts < variants) causes.steps.add(WORKFLOW.published.id);
        break;
      case 'cancel_schedule':
      case 'new_version':
        causes.steps.add(WORKFLOW.draft.id);
        break;
      case 'move':
        moved.add(item.number);
        break;
      case 'none':
        break;
      default:
        change satisfies never;
    }
  });
  if (await areShown(view.tx, moved, isRenamed)) add('content_item', 'upsert');
  return causes;
}

interface Counts {
  readonly variants: number;
  /** Of them, with a draft; the others are in the step Published. */
  readonly drafts: number;
  readonly published: number;
}

const NONE: Counts = { variants: 0, drafts: 0, published: 0 };

function countsOf(variant: PlannedTarget['variant']): Counts {
  if (!variant) return NONE;
  return {
    variants: 1,
    drafts: variant.draft === null ? 0 : 1,
    published: variant.published === null ? 0 : 1,
  };
}

/** The variants that come and go with their items, in active languages, for the targets that are whole items. */
async function countsOfItems(
  { tx, model }: ProjectView,
  targets: readonly PlannedTarget[],
): Promise<ReadonlyMap<number, Counts>> {
  const items = new Set<number>();
  await eachInTurns(targets, ({ item, language, change }) => {
    if (language === null && (change === 'archive' || change === 'restore')) items.add(item.number);
  });
  const languages = tx.among(
    'language',
    model.languages.filter(({ isActive }) => isActive).map(({ number }) => number),
  );
  const rows = await inPieces(items, (some) => {
    const among = tx.among('item', some);
    return tx.all<Counts & { item: number }>(
      `SELECT item, count(*) AS variants, count(draft) AS drafts, count(published) AS published FROM variant
       WHERE archived IS NULL AND ${among.text} AND ${languages.text} GROUP BY item`,
      [among.parameter, languages.parameter],
    );
  });
  return new Map(rows.map((row) => [row.item, row]));
}
