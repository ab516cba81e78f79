import type { Reference } from '../model/inputs.ts';
import { Issues } from '../model/issues.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { AT_ONCE } from './act-on-many.ts';
import { ACTS } from './acts.ts';
import { type ActPlan, type ActRequest, planAct } from './plan-act.ts';
import { refuseViolations } from './refuse-invalid.ts';
import { readScheduleTime } from './schedule.ts';

export interface VariantReference {
  readonly item: Reference;
  readonly language: Reference;
}

export interface PublishPlan extends ActPlan {
  /** When they are published; null = now. */
  readonly at: string | null;
}

/**
 * Plans publishing; writes nothing.
 * @throws invalidBody that names every variant that cannot be published
 */
export async function planPublish(
  transaction: ProjectView,
  variants: readonly VariantReference[],
  scheduledTo?: unknown,
): Promise<PublishPlan> {
  const request = requestOf(variants, scheduledTo);
  return { at: request.input.at ?? null, ...(await planAct(transaction, request)) };
}

/**
 * Publishes or schedules all of the variants, or none.
 * @throws invalidBody when a draft breaks rules of its type
 */
export async function publishMany(
  transaction: ProjectTransaction,
  variants: readonly VariantReference[],
  scheduledTo?: unknown,
): Promise<PublishPlan> {
  const { act, input } = requestOf(variants, scheduledTo);
  const plan = await planPublish(transaction, variants, scheduledTo);
  if (transaction.options.allowInvalid !== true) refuseViolations(plan.violations);
  const changing = plan.targets.filter(({ change }) => change !== 'none');
  await ACTS[act].apply(transaction, changing, input);
  return plan;
}

function requestOf(variants: readonly VariantReference[], scheduledTo: unknown): ActRequest {
  const at = scheduledTo === undefined || scheduledTo === null ? undefined : readScheduleTime(scheduledTo);
  const issues = new Issues();
  if (variants.length > AT_ONCE) issues.add(`At most ${AT_ONCE} variants are published at once.`, 'variants');
  issues.refuse();
  return {
    act: at === undefined ? 'publish' : 'schedule',
    input: at === undefined ? {} : { at },
    selection: { objects: variants, path: 'variants' },
  };
}
