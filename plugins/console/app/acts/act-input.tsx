import type { Signal } from '@preact/signals';
import { LocationChecks, locationsIn } from '../list/location-checks.tsx';
import { messages } from '../messages/messages.ts';
import { Choice } from '../parts/field.tsx';
import { ScheduleTime } from '../parts/schedule-time.tsx';
import type { ActBody, ActName } from './act-data.ts';

/** What a person chooses beside the objects. */
export interface Chosen {
  /** Undefined: something is missing yet. */
  readonly input: Pick<ActBody, 'scheduled_to' | 'sitemap_locations' | 'workflow_step'> | undefined;
  /** Of archiving and restoring: all languages of the items. */
  readonly isWhole: boolean;
}

export const START: Readonly<Record<ActName, Chosen>> = {
  publish: { input: {}, isWhole: false },
  schedule: { input: undefined, isWhole: false },
  cancel_schedule: { input: {}, isWhole: false },
  unpublish: { input: {}, isWhole: false },
  archive: { input: {}, isWhole: true },
  restore: { input: {}, isWhole: true },
  move: { input: { sitemap_locations: [] }, isWhole: true },
  change_step: { input: { workflow_step: 'draft' }, isWhole: false },
};

interface ActInputProps {
  readonly project: string;
  readonly act: ActName;
  /** Name of the language of the list. */
  readonly language: string;
  readonly initial: string | undefined;
  readonly chosen: Signal<Chosen>;
  /** The person may act on whole items and on variants. */
  readonly isChoice: boolean;
}

export function ActInput({ project, act, language, initial, chosen, isChoice }: ActInputProps) {
  const { bulk } = messages();
  const change = (input: Chosen['input']) => {
    chosen.value = { ...chosen.value, input };
  };
  switch (act) {
    case 'schedule':
      return (
        <ScheduleTime
          initial={initial}
          onChange={(at) => change(at === undefined ? undefined : { scheduled_to: at })}
        />
      );
    case 'move':
      return (
        <form onChange={({ currentTarget }) => change({ sitemap_locations: locationsIn(currentTarget) })}>
          <LocationChecks project={project} legend={bulk.locations} />
        </form>
      );
    case 'change_step':
      return (
        <Choice
          label={bulk.step}
          value={chosen.value.input?.workflow_step ?? 'draft'}
          options={(['draft', 'archived'] as const).map((value) => ({ value, text: bulk.steps[value] }))}
          onChange={(step) => change({ workflow_step: step })}
        />
      );
    case 'archive':
    case 'restore':
      if (!isChoice) return null;
      return (
        <Choice
          label={bulk.scope}
          value={chosen.value.isWhole ? 'whole' : 'language'}
          options={[
            { value: 'whole', text: bulk.wholeItems },
            { value: 'language', text: bulk.onlyLanguage(language) },
          ]}
          onChange={(value) => {
            chosen.value = { ...chosen.value, isWhole: value === 'whole' };
          }}
        />
      );
    default:
      return null;
  }
}
