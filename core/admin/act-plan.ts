import { createHash, type Hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { ValueElement } from '../model/model.ts';
import { AT_ONCE } from '../publishing/act-on-many.ts';
import type { ActTarget } from '../publishing/act-targets.ts';
import { ACT_CHANGES, type ActChange } from '../publishing/acts.ts';
import { findDifferences } from '../publishing/find-differences.ts';
import type { ShownBy } from '../publishing/find-showing.ts';
import { type ActPlan, type ActRequest, type PlannedTarget, planInDetail } from '../publishing/plan-act.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { webhooksOfAct } from '../webhooks/plan/webhooks-of-act.ts';
import { named, namedVariant } from './named.ts';

/** Objects and findings in a plan; the counts are of all. */
const LISTED = 100;

/**
 * A plan of an act, as the admin API shows it.
 * @param namesWebhooks the person may read webhooks; others get only their number
 */
export async function planJson(view: ProjectView, request: ActRequest, namesWebhooks: boolean) {
  const { act, input } = request;
  const plan = await planInDetail(view, request);
  const { targets, dangling, violations, fallbacks, brokenLinks, linkedDrafts, shownBy } = plan;
  const webhooks = await webhooksOfAct(view, act, targets);
  const changing = targets.filter(({ change }) => change !== 'none');
  const listedTargets = changing.slice(0, LISTED);
  const differences = await findDifferences(
    view,
    listedTargets.filter(({ change }) => change === 'replace'),
  );
  const counts = new Map<ActChange, number>();
  await eachInTurns(targets, ({ change }) => counts.set(change, (counts.get(change) ?? 0) + 1));
  const changes = Object.fromEntries(
    ACT_CHANGES.flatMap((change) => {
      const count = counts.get(change);
      return count === undefined ? [] : [[change, count]];
    }),
  );
  return {
    act,
    version: (await versionsOf(plan, webhooks)).join('.'),
    scheduled_to: input.at ?? null,
    total: changing.length,
    is_job: changing.length > AT_ONCE,
    changes,
    objects: listedTargets.map((target) => ({
      item: named(target.item),
      language: target.language && named(target.language),
      change: target.change,
      is_included: target.isIncluded === true,
      elements: elementsJson(differences.get(target)),
    })),
    dangling: listed(dangling, ({ from, kind, id, name, codename, reason }) => ({
      from: namedVariant(from),
      to: { kind, id, name, codename },
      reason,
    })),
    linked_drafts: listed(linkedDrafts, variantJson),
    broken_links: listed(brokenLinks, ({ from, to }) => ({
      from: namedVariant(from),
      to: named(to),
    })),
    fallbacks: listed(fallbacks, ({ item, language, shows }) => ({
      item: named(item),
      language: named(language),
      shows: shows && named(shows),
    })),
    violations: listed(violations, (violation) => violation),
    shown_by: shownByJson(shownBy),
    webhook_count: webhooks.length,
    webhooks: namesWebhooks ? webhooks : [],
  };
}

export function shownByJson({ count, first }: ShownBy) {
  return {
    count,
    first: first.map(namedVariant),
  };
}

/** What the parts of a version are about. */
const PARTS = [
  'other content would change, or other versions of it',
  'what the content links to, or which rules it breaks, is different',
  'what readers would notice elsewhere is different',
  'other webhooks would be called',
] as const;

/**
 * Refuses an act whose plan would be different now.
 * @param given version of the plan that the person has seen
 * @param isPartial only the objects of the plan are known, because they are very many
 * @throws conflict with what changed
 */
export async function refuseOtherPlan(
  view: ProjectView,
  { act }: ActRequest,
  given: string,
  plan: ActPlan,
  isPartial: boolean,
): Promise<void> {
  const seen = given.split('.');
  const now = await versionsOf(plan, await webhooksOfAct(view, act, plan.targets));
  const changed = PARTS.filter((_, at) => (isPartial ? at === 0 : true) && seen[at] !== now[at]);
  if (changed.length === 0) return;
  throw new ServiceError(
    'conflict',
    `The plan is out of date: ${changed.join('; ')}. Nothing was done; look at the plan again.`,
  );
}

interface VariantIds {
  readonly item: { readonly id: string };
  readonly language: { readonly id: string } | null;
}

/** One digest for each of `PARTS`. */
async function versionsOf(
  { targets, dangling, violations, brokenLinks, fallbacks }: ActPlan,
  webhooks: readonly { readonly id: string }[],
): Promise<string[]> {
  const variantOf = ({ item, language }: VariantIds) => `${item.id}/${language?.id}`;
  const links = createHash('sha256');
  await addAll(links, dangling, ({ from, id, reason }) => [variantOf(from), id, reason]);
  await addAll(links, violations, ({ message, path }) => [message, path]);
  const readers = createHash('sha256');
  await addAll(readers, brokenLinks, ({ from, to }) => [variantOf(from), to.id]);
  await addAll(readers, fallbacks, ({ item, language, shows }) => [item.id, language.id, shows?.id]);
  const objects = createHash('sha256');
  await addAll(objects, targets, (target: PlannedTarget) =>
    target.change === 'none'
      ? []
      : [variantOf(target), target.change, target.variant?.draft, target.variant?.published],
  );
  const called = createHash('sha256');
  await addAll(called, webhooks, ({ id }) => [id]);
  return [objects, links, readers, called].map((hash) => hash.digest('base64url').slice(0, 12));
}

async function addAll<One>(
  hash: Hash,
  all: readonly One[],
  partsOf: (one: One) => readonly (string | number | null | undefined)[],
): Promise<void> {
  await eachInTurns(all, (one) => {
    const parts = partsOf(one);
    if (parts.length > 0) hash.update(JSON.stringify(parts));
  });
  hash.update('\n');
}

function elementsJson(elements: readonly ValueElement[] | undefined) {
  return elements === undefined ? null : elements.map(named);
}

function variantJson({ item, language }: ActTarget) {
  return { item: named(item), language: language && named(language) };
}

function listed<From, To>(all: readonly From[], toJson: (one: From) => To) {
  return { count: all.length, first: all.slice(0, LISTED).map(toJson) };
}
