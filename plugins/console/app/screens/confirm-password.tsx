import { call, get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { OpenIdLink } from '../parts/open-id-link.tsx';
import { useAct } from '../parts/use-act.ts';

/** Asks for the password before a call that changes who may do what; the call goes on afterwards. */
export function ConfirmPassword({ onEnd }: { readonly onEnd: (isConfirmed: boolean) => void }) {
  const { confirm, signIn } = messages();
  const { run, error } = useAct();

  function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const password = new FormData(event.target as HTMLFormElement).get('password');
    return run(async () => {
      await call('POST', 'session/confirm', { password });
      onEnd(true);
    });
  }

  /** The person may have signed in again in another tab. */
  async function check(): Promise<void> {
    const { is_confirmed } = await get<{ readonly is_confirmed: boolean }>('session');
    if (is_confirmed) onEnd(true);
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
        <OpenIdLink isFresh onReturn={() => void check()} />
        <Failure error={error.value} />
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
