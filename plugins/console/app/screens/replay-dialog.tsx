import { call } from '../api.ts';
import { webhookTexts } from '../messages/webhook.ts';
import { announce } from '../parts/announce.tsx';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';

interface ReplayDialogProps {
  /** Of the webhook in the admin API. */
  readonly path: string;
  readonly onClose: () => void;
  readonly onStarted: () => void;
}

/** Sends everything since a time again, as a job. */
export function ReplayDialog({ path, onClose, onStarted }: ReplayDialogProps) {
  const webhook = webhookTexts();
  const { run, error, isBusy } = useAct();
  const unsaved = useUnsaved('replay', path);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const start = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const state = String(form.get('state'));
    const since = new Date(String(form.get('since'))).toISOString();
    return run(async () => {
      const { total } = await call<{ readonly total: number }>('POST', `${path}/replay-since`, {
        since,
        ...(state !== '' && { state }),
      });
      void unsaved.clear();
      announce(total === 0 ? webhook.replayEmpty : webhook.replayStarted(total));
      onStarted();
    });
  };
  return (
    <Dialog title={webhook.replayTitle} onClose={onClose} isForm>
      <UnsavedForm unsaved={unsaved} onSubmit={(event) => void start(event)}>
        <Field
          label={webhook.since}
          hint={webhook.sinceHint(zone)}
          name="since"
          type="datetime-local"
          required
        />
        <fieldset>
          <legend>{webhook.which}</legend>
          {(['all', 'delivered', 'dropped'] as const).map((value) => (
            <label key={value} class="check">
              <input
                type="radio"
                name="state"
                value={value === 'all' ? '' : value}
                defaultChecked={value === 'all'}
              />{' '}
              {webhook.whichStates[value]}
            </label>
          ))}
        </fieldset>
        <Failure error={error.value} />
        <FormActions submit={webhook.replayStart} isDisabled={isBusy.value} />
      </UnsavedForm>
    </Dialog>
  );
}
