import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { messages } from '../messages/messages.ts';
import type { ListedItem, State } from '../screens/listed-item.ts';
import type { ActName, Allowed } from './act-data.ts';
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

interface ItemActsProps {
  readonly project: string;
  readonly item: { readonly id: string };
  readonly variant: ListedItem['languages'][number] & { readonly allowed: readonly Allowed[] };
  readonly languages: readonly { readonly id: string; readonly name: string }[];
  /** Of the form of the variant. */
  readonly findings: PlanFindings;
}

/** What can be done with one variant or its item, each with its plan. */
export function ItemActs({ project, item, variant, languages, findings }: ItemActsProps) {
  const { language, state, allowed } = variant;
  const { bulk } = messages();
  const queries = useQueryClient();
  const open = useSignal<ActName | undefined>(undefined);
  const acts = ACTS_IN[state].filter((act) => allowed.includes(act));
  const object = { item: { id: item.id } };
  return (
    <>
      {acts.map((act) => (
        <button
          key={act}
          type="button"
          onClick={() => {
            open.value = act;
          }}
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
