import { useSignal } from '@preact/signals';
import { call } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { useAct } from '../parts/use-act.ts';

interface PasswordDialogProps {
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Changes the own password; the present one is asked for, and every other session ends. */
export function PasswordDialog({ onClose, onChanged }: PasswordDialogProps) {
  const { ownPassword: texts, link, dialog } = messages();
  const { run, error, isBusy } = useAct();
  const isDifferent = useSignal(false);

  function submit(event: SubmitEvent): Promise<void> | undefined {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const password = String(given.get('password'));
    isDifferent.value = password !== given.get('repeated');
    if (isDifferent.value) return;
    return run(async () => {
      await call('PUT', 'password', { current: given.get('current'), password });
      announce(texts.changed);
      onChanged();
    });
  }

  return (
    <Dialog title={texts.title} {...(!isBusy.value && { onClose })}>
      <p>{texts.plan}</p>
      <form onSubmit={submit}>
        <Field
          label={texts.current}
          hint={texts.currentHint}
          name="current"
          type="password"
          autocomplete="current-password"
          required
        />
        <Field
          label={link.newPassword}
          hint={link.newPasswordHint}
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={12}
          required
        />
        <Field
          label={texts.repeated}
          name="repeated"
          type="password"
          autocomplete="new-password"
          minLength={12}
          required
        />
        {isDifferent.value && (
          <p class="failure" role="alert">
            {texts.different}
          </p>
        )}
        {error.value !== undefined && <Failure error={error.value} />}
        <div class="actions">
          <button type="button" disabled={isBusy.value} onClick={onClose}>
            {dialog.cancel}
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {texts.submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
