import { ServiceError, type ValidationIssue } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import { Issues } from '../model/issues.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type Dangling, findDangling } from './dangling.ts';
import { type LocatedVariant, locateVariant } from './locate-variant.ts';
import { publishLocated } from './publish.ts';
import { findInvalid, refuseViolations } from './refuse-invalid.ts';
import { readScheduleTime, scheduleLocated } from './schedule.ts';

/** One transaction compiles all of them, which takes a millisecond each. */
const VARIANT_LIMIT = 1000;

export interface VariantReference {
  readonly item: Reference;
  readonly language: Reference;
}

export interface PublishPlan {
  /** When they are published; null = now. */
  readonly at: string | null;
  readonly variants: readonly (LocatedVariant & {
    /** `publish`: no version is published yet; `replace`: another version is; `none`: nothing to publish. */
    readonly change: 'publish' | 'replace' | 'none';
  })[];
  /** References of the published versions to objects that are not public. */
  readonly dangling: readonly Dangling[];
  /** Violations of rules of the types, for which publishing is refused. */
  readonly violations: readonly ValidationIssue[];
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
  const at = scheduledTo === undefined || scheduledTo === null ? null : readScheduleTime(scheduledTo);
  const issues = new Issues();
  if (variants.length > VARIANT_LIMIT)
    issues.add(`At most ${VARIANT_LIMIT} variants are published at once.`, 'variants');
  issues.refuse();
  const seen = new Set<number>();
  const located: LocatedVariant[] = [];
  for (const [index, { item, language }] of variants.entries()) {
    const one = await locateOrReport(transaction, item, language, issues, `variants[${index}]`);
    if (!one) continue;
    if (seen.has(one.variant.number)) issues.add('The same variant is given twice.', `variants[${index}]`);
    seen.add(one.variant.number);
    located.push(one);
  }
  issues.refuse();
  const planned = located.map((one) => ({ ...one, change: changeOf(one) }));
  const publishing = planned.filter(({ change }) => change !== 'none');
  const candidates = planned.flatMap((located, index) =>
    located.change === 'none' ? [] : [{ located, path: `variants[${index}]` }],
  );
  return {
    at,
    variants: planned,
    dangling: await findDangling(transaction, publishing),
    violations: await findInvalid(transaction, candidates),
  };
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
  const plan = await planPublish(transaction, variants, scheduledTo);
  if (transaction.options.allowInvalid !== true) refuseViolations(plan.violations);
  const publishing = plan.variants.filter(({ change }) => change !== 'none');
  if (plan.at !== null) await scheduleLocated(transaction, publishing, plan.at);
  else for (const located of publishing) await publishLocated(transaction, located);
  return plan;
}

async function locateOrReport(
  transaction: ProjectView,
  item: Reference,
  language: Reference,
  issues: Issues,
  path: string,
): Promise<LocatedVariant | undefined> {
  try {
    return await locateVariant(transaction, item, language, 'publish');
  } catch (error) {
    if (!(error instanceof ServiceError) || error.errorName === 'forbidden') throw error;
    issues.add(error.message, path);
    return undefined;
  }
}

function changeOf({ variant }: LocatedVariant): 'publish' | 'replace' | 'none' {
  if (variant.draft === null) return 'none';
  return variant.published === null ? 'publish' : 'replace';
}
