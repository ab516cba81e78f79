import { loadRuleFacts } from '../content/load-rule-facts.ts';
import type { ValidationIssue } from '../errors.ts';
import { collectFactIds, type FactIds, findViolations } from '../model/find-violations.ts';
import { Issues } from '../model/issues.ts';
import type { StoredElements } from '../model/values.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { draftOf, type LocatedVariant } from './locate-variant.ts';

/** A variant to publish, and its path in the request: `variants[2]`, or empty for a single variant. */
export interface Candidate {
  readonly located: LocatedVariant;
  readonly path: string;
  /** Values of the draft; default: those in `located`. */
  readonly elements?: StoredElements;
}

/** Most reported violations; components in one draft may cause 50,000. */
const MAX_VIOLATIONS = 10_000;

/** Finds violations of the rule for required elements and limits (`findViolations`) in the drafts. */
export async function findInvalid(
  view: ProjectView,
  candidates: readonly Candidate[],
  limit = MAX_VIOLATIONS,
): Promise<ValidationIssue[]> {
  const { model } = view;
  const drafts: Required<Candidate>[] = [];
  const ids: FactIds = { items: new Set(), assets: new Set() };
  for (const candidate of candidates) {
    const elements = candidate.elements ?? (await draftOf(candidate.located));
    await collectFactIds(model, candidate.located.item.type, elements, ids);
    drafts.push({ ...candidate, elements });
  }
  const facts = await loadRuleFacts(view, ids);
  const found: ValidationIssue[] = [];
  for (const { located, path, elements } of drafts) {
    const { item, language } = located;
    // One more shows that there are more.
    const most = limit + 1 - found.length;
    for (const violation of await findViolations(model, item.type, elements, facts, most)) {
      if (found.length === limit) return [...found, { message: '… and more.' }];
      found.push({
        message: `The element '${violation.field.codename}' of '${item.codename}' (${language.codename}): ${violation.message}`,
        path: path === '' ? violation.path : `${path}.${violation.path}`,
      });
    }
  }
  return found;
}

/** @throws invalidBody with each violation, unless the setting `publishing.allowInvalid` is on */
export async function refuseInvalid(
  transaction: ProjectTransaction,
  candidates: readonly Candidate[],
): Promise<void> {
  if (transaction.options.allowInvalid === true) return;
  refuseViolations(await findInvalid(transaction, candidates));
}

export function refuseViolations(violations: readonly ValidationIssue[]): void {
  const issues = new Issues(
    'The content cannot be published: it breaks rules of its content type. See validation_errors for what to change.',
  );
  for (const { message, path } of violations) issues.add(message, path);
  issues.refuse();
}
