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
 */
export async function webhooksOfAct(
  view: ProjectView,
  act: string,
  targets: readonly PlannedTarget[],
): Promise<Pick<WebhookRegistration, 'id' | 'name'>[]> {
  const enabled = (await listWebhooks(view)).filter((webhook) => webhook.enabled);
  if (enabled.length === 0) return [];
  const causes = await causesOf(view, targets);
  if (act === 'schedule' && causes.kinds !== 0) causes.steps.add(WORKFLOW.scheduled.id);
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

async function causesOf(view: ProjectView, targets: readonly PlannedTarget[]): Promise<Causes> {
  const causes: Causes = { kinds: 0, steps: new Set() };
  const add = (type: EventType, operation: EventOperation) => {
    causes.kinds |= kindOf(type, operation);
  };
  const whole = await wholeItems(view, targets);
  await eachInTurns(targets, ({ item, language, variant, change }) => {
    const isWhole = language === null || whole.archived.has(item.number);
    const isPublic = isWhole ? whole.published.has(item.number) : (variant?.published ?? null) !== null;
    const type = isWhole ? 'content_item' : 'content_item_variant';
    switch (change) {
      case 'publish':
      case 'replace':
        add('content_item_variant', 'publish');
        causes.steps.add(WORKFLOW.published.id);
        break;
      case 'unpublish':
        add('content_item_variant', 'unpublish');
        // Where there is a newer draft, the variant is in this step already.
        if (variant?.draft === null) causes.steps.add(WORKFLOW.draft.id);
        break;
      case 'archive':
        if (isPublic) add(type, 'archive');
        causes.steps.add(WORKFLOW.archived.id);
        break;
      case 'restore':
        if (isPublic) add(type, 'restore_publish');
        causes.steps.add(isPublic ? WORKFLOW.published.id : WORKFLOW.draft.id);
        break;
      case 'cancel_schedule':
      case 'new_version':
        causes.steps.add(WORKFLOW.draft.id);
        break;
      case 'move':
        if (whole.published.has(item.number)) add('content_item', 'upsert');
        break;
      case 'none':
        break;
      default:
        change satisfies never;
    }
  });
  return causes;
}

/**
 * Of acts that concern whole items: the items with public content, and those that are archived, with their last variant or
 * before.
 */
async function wholeItems(
  { tx }: ProjectView,
  targets: readonly PlannedTarget[],
): Promise<{ readonly published: ReadonlySet<number>; readonly archived: ReadonlySet<number> }> {
  const concerned = targets.filter(
    ({ change }) => change === 'archive' || change === 'restore' || change === 'move',
  );
  const archivedNow = new Map<number, number>();
  const items = new Set<number>();
  const archived = new Set<number>();
  await eachInTurns(concerned, ({ item, language, change }) => {
    items.add(item.number);
    if (change === 'archive' && language)
      archivedNow.set(item.number, (archivedNow.get(item.number) ?? 0) + 1);
    if (change === 'restore' && item.archived !== null) archived.add(item.number);
  });
  const rows = await inPieces(items, (some) => {
    const among = tx.among('item', some);
    return tx.all<{ item: number; variants: number; published: number }>(
      `SELECT item, count(*) AS variants, count(published) AS published FROM variant
       WHERE archived IS NULL AND ${among.text} GROUP BY item`,
      [among.parameter],
    );
  });
  const published = new Set<number>();
  await eachInTurns(rows, (row) => {
    if (row.published > 0) published.add(row.item);
    if (archivedNow.get(row.item) === row.variants) archived.add(row.item);
  });
  return { published, archived };
}
