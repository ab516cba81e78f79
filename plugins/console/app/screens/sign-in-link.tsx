import { useQuery } from '@tanstack/preact-query';
import { call, get, TITLE } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { NewPasswordField } from '../parts/new-password-field.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useAct } from '../parts/use-act.ts';

interface SignInLinkProps {
  /** The secret of the link: it is in the fragment, which browsers send to no server. */
  readonly token: string;
  readonly onSignedIn: () => void;
}

/** The page of a one-time link: makes the first account, or signs in and may set a password. */
export function SignInLinkPage({ token, onSignedIn }: SignInLinkProps) {
  const { link, signIn } = messages();
  const purpose = useQuery({
    queryKey: ['session', 'link'],
    queryFn: () => get<{ readonly first_user: boolean }>('session/link'),
  });
  const { run, error, isBusy } = useAct();
  if (purpose.isError) return <Failure error={purpose.error} onRetry={() => void purpose.refetch()} />;
  if (!purpose.data) return <p class="loading">{messages().loading}</p>;
  const isFirst = purpose.data.first_user;

  function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const password = String(given.get('password') ?? '');
    return run(async () => {
      await call('POST', 'session/link', {
        token,
        ...(isFirst && { name: given.get('name'), email: given.get('email') }),
        ...((isFirst || password !== '') && { password }),
      });
      onSignedIn();
    });
  }

  return (
    <main class="card">
      <p class="brand">{TITLE}</p>
      <PageHeading>{signIn.title}</PageHeading>
      <p>{isFirst ? link.first : link.returning}</p>
      <form onSubmit={submit}>
        {isFirst && <Field label={link.name} name="name" autocomplete="name" required />}
        {isFirst && <Field label={signIn.email} name="email" type="email" autocomplete="username" required />}
        <NewPasswordField
          label={link.newPassword}
          hint={link.newPasswordHint}
          name="password"
          required={isFirst}
        />
        <Failure error={error.value} />
        <button type="submit" class="primary" disabled={isBusy.value}>
          {isFirst ? link.create : link.enter}
        </button>
      </form>
    </main>
  );
}
