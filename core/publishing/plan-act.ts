import { ServiceError, type ValidationIssue } from '../errors.ts';
import { Issues } from '../model/issues.ts';
import type { Language } from '../model/model.ts';
import { requireContent } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import {
  type ActObject,
  type ActTarget,
  findObjects,
  type ObjectReference,
  readTargets,
  withDrafts,
} from './act-targets.ts';
import { ACTS, type ActChange, type ActInput, type ActName } from './acts.ts';
import { type Dangling, findDangling } from './dangling.ts';
import { type Effects, findEffects } from './find-effects.ts';
import { findShowing, type ShownBy } from './find-showing.ts';
import { allLinkedDrafts, linkedDrafts } from './linked-drafts.ts';
import { findInvalid } from './refuse-invalid.ts';

/** Drafts in memory at a time. */
const PIECE = 200;
/** Most reported violations and dangling references. */
const MOST = 10_000;

export interface ActRequest {
  readonly act: ActName;
  readonly input: ActInput;
  /**
   * Given one by one, or the items of a listing with the languages whose variants are meant (null: whole items), or what
   * an earlier plan has found: links are not followed again.
   */
  readonly selection:
    | { readonly objects: readonly ObjectReference[]; readonly path: string }
    | { readonly items: readonly number[]; readonly languages: readonly Language[] | null }
    | { readonly planned: readonly PlannedTarget[]; readonly path?: string };
}

export interface PlannedTarget extends ActTarget {
  readonly change: ActChange;
  /** Not in the selection: others link to it. */
  readonly isIncluded?: boolean;
}

export interface ActPlan extends Effects {
  /** All of them, with the ones that have nothing to do. */
  readonly targets: readonly PlannedTarget[];
  /** References of drafts, once published, to objects that are not public. */
  readonly dangling: readonly Dangling[];
  /** Violations of rules of the types, for which the act is refused. */
  readonly violations: readonly ValidationIssue[];
}

/** A plan with what a person wants to know before the act. */
export interface DetailedPlan extends ActPlan {
  /** Drafts that references lead to, which could be published with the others. */
  readonly linkedDrafts: readonly ActTarget[];
  /** Public variants that show the items. */
  readonly shownBy: ShownBy;
}

/**
 * Plans an act; writes nothing.
 * @throws invalidBody that names every object of a list that does not exist
 */
export async function planAct(view: ProjectView, request: ActRequest): Promise<ActPlan> {
  return withFindings(view, request, await planTargets(view, request));
}

/** The same with what a person wants to know before the act. */
export async function planInDetail(view: ProjectView, request: ActRequest): Promise<DetailedPlan> {
  const plan = await planAct(view, request);
  return {
    ...plan,
    linkedDrafts: await linkedDrafts(view, plan.dangling),
    shownBy: await findShowing(view, plan.targets),
  };
}

export async function withFindings(
  view: ProjectView,
  request: ActRequest,
  targets: readonly PlannedTarget[],
): Promise<ActPlan> {
  return {
    targets,
    ...(await checkDrafts(view, request.act, targets, pathOf(request))),
    ...(await findEffects(view, request.act, targets)),
  };
}

/** What changes, without checks of the content. @throws as `planAct`, and forbidden for the first object that is */
export async function planTargets(view: ProjectView, request: ActRequest): Promise<PlannedTarget[]> {
  const { act, input, selection } = request;
  const { changeOf, needs, findsArchived: isArchivedToo = false } = ACTS[act];
  const issues = new Issues();
  const targets =
    'objects' in selection
      ? await findObjects(view, selection.objects, issues, { path: selection.path, isArchivedToo })
      : await readTargets(
          view,
          'planned' in selection
            ? selection.planned.map(toObject)
            : await objectsOf(selection.items, selection.languages),
        );
  issues.refuse();
  const planned: PlannedTarget[] = [];
  await eachInTurns(targets, (target) => {
    const change = changeOf(target, input);
    const concerned = { type: target.item.type, language: target.language ?? ('all' as const) };
    // Of a filter, what has nothing to do was not asked for.
    if (change !== 'none' || 'objects' in selection) requireContent(view, needs, concerned);
    else requireContent(view, 'view-content', { ...concerned, language: target.language ?? 'some' });
    // Also by a move to a step. A job does what was planned without asking what the person may do.
    if (change === 'archive') requireContent(view, 'delete-content', concerned);
    planned.push({ ...target, change });
  });
  if (input.includeLinked !== true) return planned;
  if ('planned' in selection) return asPlanned(selection.planned, planned);
  const linked = await allLinkedDrafts(
    view,
    planned.filter(({ change }) => change !== 'none'),
  );
  return [
    ...planned,
    ...linked.map((target) => ({ ...target, change: changeOf(target, input), isIncluded: true })),
  ];
}

/** @throws conflict where a draft is not the one whose links were followed */
function asPlanned(before: readonly PlannedTarget[], now: readonly PlannedTarget[]): PlannedTarget[] {
  const isSame = now.every(
    ({ change, variant }, index) =>
      change === before[index]?.change && variant?.draft === before[index]?.variant?.draft,
  );
  if (now.length !== before.length || !isSame)
    throw new ServiceError(
      'conflict',
      'Content changed while its links were followed. Nothing was done; try again.',
    );
  return now.map((target, index) => ({ ...target, isIncluded: before[index]?.isIncluded === true }));
}

/**
 * Checks the drafts that an act would publish.
 * @param path of the list of objects in the request, if there is one
 */
export async function checkDrafts(
  view: ProjectView,
  act: ActName,
  targets: readonly PlannedTarget[],
  path?: string,
): Promise<Pick<ActPlan, 'dangling' | 'violations'>> {
  const dangling: Dangling[] = [];
  const violations: ValidationIssue[] = [];
  if (!ACTS[act].needsValid) return { dangling, violations };
  const changing: { readonly target: PlannedTarget; readonly path: string }[] = [];
  const planned = new Set<string>();
  await eachInTurns(targets, (target, index) => {
    if (target.change === 'none') return;
    changing.push({ target, path: path === undefined || target.isIncluded ? '' : `${path}[${index}]` });
    planned.add(`${target.item.number}:${target.language?.number}`);
  });
  for (let at = 0; at < changing.length && violations.length <= MOST; at += PIECE) {
    const piece = changing.slice(at, at + PIECE);
    const located = await withDrafts(
      view,
      piece.map(({ target }) => target),
    );
    const candidates = located.map((one, index) => ({ located: one, path: piece[index]?.path ?? '' }));
    if (dangling.length < MOST)
      dangling.push(
        ...(await findDangling(view, located, (item, language) => planned.has(`${item}:${language}`))),
      );
    violations.push(...(await findInvalid(view, candidates, MOST - violations.length)));
  }
  return { dangling, violations };
}

/** Path of the list of objects, if there is one. */
export function pathOf({ selection }: ActRequest): string | undefined {
  return 'path' in selection ? selection.path : undefined;
}

export function toObject({ item, language }: ActTarget): ActObject {
  return { item: item.number, language: language?.number ?? null };
}

async function objectsOf(
  items: readonly number[],
  languages: readonly Language[] | null,
): Promise<ActObject[]> {
  const numbers = languages?.map(({ number }) => number) ?? [null];
  const objects: ActObject[] = [];
  await eachInTurns(items, (item) => {
    for (const language of numbers) objects.push({ item, language });
  });
  return objects;
}
