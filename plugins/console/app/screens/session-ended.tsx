import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { ApiError, callFor, get, resumeSession } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import type { Session } from '../session.ts';
import { SignInForm } from './sign-in.tsx';

type Person = Session['person'];

/**
 * Over a page whose session has ended: asks its person to sign in again. Where another person has signed in, asks under
 * which name the page goes on: nothing is saved before.
 */
export function SessionEnded({ person }: { readonly person: Person }) {
  const { signIn } = messages();
  const queries = useQueryClient();
  const other = useSignal<Person | undefined>(undefined);
  const error = useSignal<unknown>(undefined);

  async function goOnFor(user: string): Promise<void> {
    // Screens that are opened later do not show what the other person was permitted to read.
    if (user !== person.id) queries.removeQueries({ type: 'inactive' });
    callFor(user);
    resumeSession();
    await queries.invalidateQueries();
  }
  /** Undefined: no one is signed in. */
  async function readWho(): Promise<Person | undefined> {
    error.value = undefined;
    try {
      const found = (await get<Session>('session')).person;
      other.value = found.id === person.id ? undefined : found;
      return found;
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.status !== 401) error.value = failure;
      return undefined;
    }
  }
  async function goOn(): Promise<void> {
    if ((await readWho())?.id === person.id) await goOnFor(person.id);
  }
  const failed = <Failure error={error.value} onRetry={() => void goOn()} />;
  useEffect(() => void readWho(), []);

  if (other.value === undefined)
    return (
      <Dialog title={signIn.title} isUnasked>
        <p>{signIn.again}</p>
        {failed}
        <SignInForm email={person.email} onSignedIn={() => void goOn()} />
      </Dialog>
    );
  const { id, name } = other.value;
  return (
    <Dialog title={signIn.other.title} isUnasked>
      <p>{signIn.other.who(person.name, name)}</p>
      <p class="hint">{signIn.other.kept(person.name)}</p>
      <div class="actions">
        <button type="button" onClick={() => location.reload()}>
          {signIn.other.reload(name)}
        </button>
        <button type="button" onClick={() => void goOnFor(id)}>
          {signIn.other.take(name)}
        </button>
      </div>
      <h3>{signIn.other.back(person.name)}</h3>
      {failed}
      <SignInForm email={person.email} onSignedIn={() => void goOn()} />
    </Dialog>
  );
}
