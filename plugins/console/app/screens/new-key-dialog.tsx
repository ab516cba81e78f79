import { useQuery } from '@tanstack/preact-query';
import { useId } from 'preact/hooks';
import { call, get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSession } from '../session.ts';
import type { User } from './people-data.ts';

interface NewKeyDialogProps {
  readonly project: string;
  readonly onClose: () => void;
  readonly onMade: (key: string) => void;
}

/** Validity of a key for which nothing else is said, and the longest one, in days. */
const DEFAULT_DAYS = 4000;
const MOST_DAYS = 36_500;

/** Makes a management key: operators for every user of the project, others in their own name. */
export function NewKeyDialog({ project, onClose, onMade }: NewKeyDialogProps) {
  const { keys } = messages();
  const select = useId();
  const person = useSession().data?.person;
  const { run, error, isBusy } = useAct();
  const unsaved = useUnsaved('key', project);
  const users = useQuery({
    queryKey: ['users'],
    meta: { follows: ['user'] },
    enabled: person?.is_operator === true,
    queryFn: () => get<{ readonly users: readonly User[] }>('admin/users'),
  });
  const make = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    return run(async () => {
      const { key } = await call<{ readonly key: string }>(
        'POST',
        `admin/projects/${project}/management-keys`,
        {
          user_id: person?.is_operator ? given.get('user') : person?.id,
          expires_in_days: Number(given.get('days')),
        },
      );
      void unsaved.clear();
      onMade(key);
    });
  };
  const form = (members: readonly User[]) => (
    <UnsavedForm unsaved={unsaved} onSubmit={(event) => void make(event)}>
      {person?.is_operator && (
        <div class="field">
          <label for={select}>{keys.user}</label>
          <select id={select} name="user" required>
            {members.map(({ id, name, email }) => (
              <option key={id} value={id}>
                {`${name} (${email})`}
              </option>
            ))}
          </select>
          {members.length === 0 && <p class="hint">{keys.noMember}</p>}
        </div>
      )}
      <Field
        label={keys.days}
        name="days"
        type="number"
        required
        min={1}
        max={MOST_DAYS}
        defaultValue={String(DEFAULT_DAYS)}
      />
      <Failure error={error.value} />
      <FormActions submit={keys.make} isDisabled={isBusy.value} />
    </UnsavedForm>
  );
  return (
    <Dialog title={keys.addTitle} onClose={onClose} isForm>
      <p>{keys.addExplain}</p>
      {person?.is_operator ? (
        // What the list chooses first is not typed.
        <Loaded query={users}>
          {(data) => form(data.users.filter(({ projects }) => projects.some(({ id }) => id === project)))}
        </Loaded>
      ) : (
        form([])
      )}
    </Dialog>
  );
}
