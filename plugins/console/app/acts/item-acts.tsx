import { useSignal } from '@preact/signals';
import { messages } from '../messages/messages.ts';
import type { State } from '../screens/listed-item.ts';
import type { ActName, Allowed } from './act-data.ts';
import { ActDialog } from './act-dialog.tsx';

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
  readonly language: { readonly id: string; readonly name: string };
  readonly state: State;
  readonly allowed: readonly Allowed[];
  readonly onChanged: () => void;
}

/** What can be done with one variant or its item, each with its plan. */
export function ItemActs({ project, item, language, state, allowed, onChanged }: ItemActsProps) {
  const { bulk } = messages();
  const open = useSignal<ActName | undefined>(undefined);
  const acts = ACTS_IN[state].filter((act) => allowed.includes(act));
  if (acts.length === 0) return null;
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
          language={language.name}
          select={(isWhole) => ({
            objects: [isWhole ? object : { ...object, language: { id: language.id } }],
          })}
          onClose={(isChanged) => {
            open.value = undefined;
            if (isChanged) onChanged();
          }}
        />
      )}
    </>
  );
}
