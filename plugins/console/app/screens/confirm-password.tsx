import { useSignal } from '@preact/signals';
import { call } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';

/** Asks for the password before a call that changes who may do what; the call goes on afterwards. */
export function ConfirmPassword({ onEnd }: { readonly onEnd: (isConfirmed: boolean) => void }) {
  const { confirm, signIn } = messages();
  const error = useSignal<unknown>(undefined);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const password = new FormData(event.target as HTMLFormElement).get('password');
    try {
      await call('POST', 'session/confirm', { password });
      onEnd(true);
    } catch (failure) {
      error.value = failure;
    }
  }

  return (
    <Dialog title={confirm.title} onClose={() => onEnd(false)}>
      <p>{confirm.why}</p>
      <form onSubmit={submit}>
        <Field
          label={signIn.password}
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
        {error.value !== undefined && <Failure error={error.value} />}
        <div class="actions">
          <button type="button" onClick={() => onEnd(false)}>
            {confirm.cancel}
          </button>
          <button type="submit" class="primary">
            {confirm.submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
