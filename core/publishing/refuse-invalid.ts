import { collectFactIds, type FactIds, findViolations } from '../content/find-violations.ts';
import { Issues } from '../content/issues.ts';
import { loadRuleFacts } from '../content/load-rule-facts.ts';
import type { ValidationIssue } from '../errors.ts';
import type { ProjectView } from '../project-view.ts';
import type { Session } from '../session.ts';
import { draftOf, type LocatedVariant } from './locate-variant.ts';

/** A variant that is about to be published, and where the caller named it: `variants[2]`; empty for the only one. */
export interface Candidate {
  readonly located: LocatedVariant;
  readonly path: string;
}

/** Where the drafts break the rule for required elements and limits (`findViolations`). */
export async function findInvalid(
  view: ProjectView,
  candidates: readonly Candidate[],
): Promise<ValidationIssue[]> {
  const { model } = view;
  const drafts = candidates.map((candidate) => ({ ...candidate, elements: draftOf(candidate.located) }));
  const ids: FactIds = { items: new Set(), assets: new Set() };
  for (const { located, elements } of drafts) collectFactIds(model, located.item.type, elements, ids);
  const facts = await loadRuleFacts(view, ids);
  return drafts.flatMap(({ located: { item, language }, path, elements }) =>
    findViolations(model, item.type, elements, facts).map((violation) => ({
      message: `The element '${violation.field.codename}' of '${item.codename}' (${language.codename}): ${violation.message}`,
      path: path === '' ? violation.path : `${path}.${violation.path}`,
    })),
  );
}

/** @throws invalidBody with each violation, unless the setting `publishing.allowInvalid` lets them through */
export async function refuseInvalid(session: Session, candidates: readonly Candidate[]): Promise<void> {
  if (session.kit.allowInvalid === true) return;
  refuseViolations(await findInvalid(session, candidates));
}

export function refuseViolations(violations: readonly ValidationIssue[]): void {
  const issues = new Issues(
    'The content cannot be published: it breaks rules of its content type. See validation_errors for what to change.',
  );
  for (const { message, path } of violations) issues.add(message, path);
  issues.refuse();
}
