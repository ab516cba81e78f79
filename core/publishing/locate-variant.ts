import { changedVariant } from '../content/changed-variant.ts';
import { findItemRow, type Item, viewedItem } from '../content/item-rows.ts';
import { findLanguage } from '../content/languages.ts';
import { variantNotFound } from '../content/variant-rows.ts';
import { WORKFLOW, type WorkflowStep, workflowStepOf } from '../content/workflow.ts';
import { parseStored } from '../json-body/parse-stored.ts';
import type { Reference } from '../model/inputs.ts';
import type { Language } from '../model/model.ts';
import { findReferred } from '../model/reference.ts';
import type { StoredElements } from '../model/values.ts';
import { type ContentPermission, requireContent } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';

export interface LocatedVariant {
  readonly item: Pick<Item, 'number' | 'id' | 'name' | 'codename' | 'type'>;
  readonly language: Language;
  readonly variant: {
    readonly number: number;
    readonly draft: number | null;
    readonly published: number | null;
    readonly scheduled_to: string | null;
    /** Values of the draft, as JSON. */
    readonly draft_elements: string | null;
  };
}

/**
 * @param needed permission of what is done with the variant
 * @throws itemNotFound, languageNotFound, variantNotFound; also for a deactivated language (spec section 7); forbidden
 */
export async function locateVariant(
  transaction: ProjectView,
  itemReference: Reference,
  languageReference: Reference,
  needed: ContentPermission,
): Promise<LocatedVariant> {
  const known = findReferred(transaction.model.languages, languageReference);
  const row = await findItemRow<LocatedColumns>(transaction, itemReference, {
    columns: `v.number AS variant, ${LOCATED_COLUMNS}`,
    joins: `LEFT JOIN variant v ON v.item = i.number AND v.language = ? AND v.archived IS NULL
      LEFT JOIN version n ON n.number = v.draft`,
    parameters: [known?.number ?? 0],
  });
  const item = viewedItem(transaction, row);
  const language = known ?? findLanguage(transaction, languageReference);
  requireContent(transaction, needed, { type: item.type, language });
  const { variant: number, draft, published, scheduled_to, draft_elements } = row;
  if (!language.isActive || number === null) throw variantNotFound(item, language);
  return { item, language, variant: { number, draft, published, scheduled_to, draft_elements } };
}

type LocatedColumns = Omit<LocatedVariant['variant'], 'number'> & { readonly variant: number | null };

const LOCATED_COLUMNS =
  'v.draft AS draft, v.published AS published, v.scheduled_to AS scheduled_to, n.elements AS draft_elements';

/** The same, also in inactive languages. */
export async function locate(
  transaction: ProjectView,
  item: LocatedVariant['item'],
  language: Language,
): Promise<LocatedVariant> {
  const variant = await transaction.tx.get<LocatedVariant['variant']>(
    `SELECT v.number AS number, ${LOCATED_COLUMNS}
     FROM variant v LEFT JOIN version n ON n.number = v.draft
     WHERE v.item = ? AND v.language = ? AND v.archived IS NULL`,
    [item.number, language.number],
  );
  if (!variant) throw variantNotFound(item, language);
  return { item, language, variant };
}

export async function draftOf({ variant }: LocatedVariant): Promise<StoredElements> {
  return variant.draft_elements === null ? {} : parseStored(variant.draft_elements);
}

/** Workflow step after an operation. */
const STEP_AFTER: Readonly<Record<string, WorkflowStep>> = {
  publish: WORKFLOW.published,
  unpublish: WORKFLOW.draft,
  new_version: WORKFLOW.draft,
  discard_draft: WORKFLOW.published,
  schedule: WORKFLOW.scheduled,
  cancel_schedule: WORKFLOW.draft,
};

/**
 * Enters an operation on a variant in the change log.
 * @param located its state before the operation
 */
export function recordVariant(
  transaction: ProjectTransaction,
  located: LocatedVariant,
  operation: string,
): void {
  const { item, language, variant } = located;
  transaction.listItem(item.number);
  const from = workflowStepOf({ draft: variant.draft, scheduledTo: variant.scheduled_to });
  const isStillScheduled = operation === 'unpublish' && variant.scheduled_to !== null;
  const to = isStillScheduled ? from : STEP_AFTER[operation];
  transaction.change('content_item_variant', operation, `${item.id}/${language.id}`, [], {
    ...changedVariant(item, language),
    ...(to && { moved: { from: from.id, to: to.id } }),
  });
}
