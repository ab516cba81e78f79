import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ApiError, call } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Cancel, Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { NewPasswordField } from '../parts/new-password-field.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSession } from '../session.ts';

interface PasswordDialogProps {
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** Changes the own password; the present one is asked for, and every other session ends. */
export function PasswordDialog({ onClose, onChanged }: PasswordDialogProps) {
  const { ownPassword: texts, link, dialog } = messages();
  const { run, error, isBusy } = useAct();
  const { data: session } = useSession();
  const form = useRef<HTMLFormElement>(null);
  const isDifferent = useSignal(false);

  const refused = error.value === undefined ? undefined : fieldOf(error.value);
  const failure = (field: Refused) => refused === field && <Failure error={error.value} />;
  /** So that it can be corrected at once, and is read with what is wrong. */
  const focus = (field: string) => {
    const input = form.current?.elements.namedItem(field);
    if (input instanceof HTMLInputElement) input.focus();
  };

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const password = String(given.get('password'));
    isDifferent.value = password !== given.get('repeated');
    if (isDifferent.value) {
      error.value = undefined;
      focus('repeated');
      return;
    }
    await run(async () => {
      await call('PUT', 'password', { current: given.get('current'), password });
      announce(texts.changed);
      onChanged();
    });
    focus(fieldOf(error.value) ?? '');
  }

  return (
    <Dialog title={texts.title} {...(!isBusy.value && { onClose })} isForm>
      <p>{texts.plan}</p>
      <form ref={form} onSubmit={(event) => void submit(event)}>
        {/* Password managers look for it, to store the new password in the right place. */}
        <input type="text" autocomplete="username" value={session?.person.email} readOnly hidden />
        <Field
          label={texts.current}
          hint={texts.currentHint}
          name="current"
          type="password"
          autocomplete="current-password"
          required
          error={failure('current')}
        />
        <NewPasswordField
          label={link.newPassword}
          hint={link.newPasswordHint}
          name="password"
          required
          error={failure('password')}
        />
        <NewPasswordField
          label={texts.repeated}
          name="repeated"
          required
          error={
            isDifferent.value && (
              <p class="failure" role="alert">
                {texts.different}
              </p>
            )
          }
        />
        {refused === undefined && <Failure error={error.value} />}
        <div class="actions">
          <Cancel disabled={isBusy.value}>{dialog.cancel}</Cancel>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {texts.submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type Refused = 'current' | 'password';

/** The field that the server refused; undefined where the reason is another one. */
function fieldOf(error: unknown): Refused | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 403) return 'current';
  return error.issues.some(({ path }) => path === 'password') ? 'password' : undefined;
}
