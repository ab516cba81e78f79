import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { messages } from '../messages/messages.ts';
import { savingTexts } from '../messages/saving.ts';
import type { ListedItem, State } from '../screens/listed-item.ts';
import { type ActName, type Allowed, CHECKS_DRAFTS } from './act-data.ts';
import { ActDialog } from './act-dialog.tsx';
import type { PlanFindings } from './plan-findings.ts';

/** The acts that make a difference for a variant in a state; the form itself publishes. */
const ACTS_IN: Readonly<Record<State, readonly ActName[]>> = {
  not_translated: [],
  draft: ['schedule', 'archive'],
  unpublished: ['schedule', 'archive'],
  published: ['unpublish', 'archive'],
  changed: ['schedule', 'unpublish', 'archive'],
  scheduled: ['schedule', 'cancel_schedule', 'unpublish', 'archive'],
  archived: ['restore'],
};

/** The form of a variant. */
export interface OpenForm {
  /** A choice between two versions of an element is open. */
  readonly hasConflict: boolean;
  /** @returns whether the server has everything */
  save(): Promise<boolean>;
}

interface ItemActsProps {
  readonly project: string;
  readonly item: { readonly id: string };
  readonly variant: ListedItem['languages'][number] & { readonly allowed: readonly Allowed[] };
  readonly languages: readonly { readonly id: string; readonly name: string }[];
  /** Of the form of the variant. */
  readonly findings: PlanFindings;
  /** Undefined until it is there. */
  readonly form: OpenForm | undefined;
}

/** What can be done with one variant or its item, each with its plan. */
export function ItemActs(props: ItemActsProps) {
  const { project, item, variant, languages, findings, form } = props;
  const { language, state, allowed } = variant;
  const { bulk } = messages();
  const queries = useQueryClient();
  const open = useSignal<ActName | undefined>(undefined);
  const acts = ACTS_IN[state].filter((act) => allowed.includes(act));
  const object = { item: { id: item.id } };
  // What readers get is what the form shows.
  const start = async (act: ActName) => {
    if (!CHECKS_DRAFTS.has(act) || (await form?.save())) open.value = act;
  };
  return (
    <>
      {acts.map((act) => (
        <button
          key={act}
          type="button"
          disabled={CHECKS_DRAFTS.has(act) && form?.hasConflict !== false}
          title={CHECKS_DRAFTS.has(act) && form?.hasConflict ? savingTexts().publishClosed : undefined}
          onClick={() => void start(act)}
        >
          {bulk.buttons[act]}
        </button>
      ))}
      {open.value && (
        <ActDialog
          project={project}
          act={open.value}
          language={languages.find(({ id }) => id === language.id)?.name ?? language.codename}
          findings={findings}
          select={(isWhole) => ({
            objects: [isWhole ? object : { ...object, language: { id: language.id } }],
          })}
          onClose={(isChanged) => {
            open.value = undefined;
            if (isChanged) void queries.invalidateQueries({ queryKey: [project, 'item', item.id] });
          }}
        />
      )}
    </>
  );
}
