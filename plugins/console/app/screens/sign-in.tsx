import { useLocation, useSearchParams } from 'wouter-preact';
import { call, TITLE } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { OpenIdLink } from '../parts/open-id-link.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useAct } from '../parts/use-act.ts';

interface SignInFormProps {
  /** The mail address of the person who was signed in. */
  readonly email?: string;
  readonly onSignedIn: () => void;
  /** Path below the console where a person who signs in through a provider continues; absent: the page stays. */
  readonly to?: string;
}

/** Mail address and password: on the sign-in page, and over a page whose session has ended. */
export function SignInForm({ email, onSignedIn, to }: SignInFormProps) {
  const { signIn } = messages();
  const { run, error, isBusy } = useAct();

  function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    return run(async () => {
      await call('POST', 'session', { email: given.get('email'), password: given.get('password') });
      onSignedIn();
    });
  }

  return (
    <form onSubmit={submit}>
      <OpenIdLink {...(to === undefined ? { onReturn: onSignedIn } : { to })} />
      <Field label={signIn.email} name="email" type="email" autocomplete="username" required value={email} />
      <Field
        label={signIn.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
      />
      <Failure error={error.value} />
      <button type="submit" class="primary" disabled={isBusy.value}>
        {signIn.submit}
      </button>
      <p class="hint">{signIn.forgotten}</p>
    </form>
  );
}

export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const { signIn } = messages();
  const [path] = useLocation();
  const [search] = useSearchParams();
  const reasons: Readonly<Record<string, string>> = signIn.refused;
  const refused = search.get('refused') ?? '';
  const query = path === '/sign-in' || search.size === 0 ? '' : `?${search}`;
  return (
    <main class="card">
      <p class="brand">{TITLE}</p>
      <PageHeading>{signIn.title}</PageHeading>
      {refused !== '' && (
        <p class="failure" role="alert">
          {reasons[refused] ?? signIn.refused.provider}
        </p>
      )}
      <SignInForm onSignedIn={onSignedIn} to={path === '/sign-in' ? '/' : path + query} />
    </main>
  );
}
