import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { BASE, get, query } from '../api.ts';
import { messages } from '../messages/messages.ts';

interface OpenIdLinkProps {
  /** Path below the console where the person continues. */
  readonly to?: string;
  /** The provider has to ask for the password again. */
  readonly isFresh?: boolean;
  /** Given: the page stays, the provider opens in another tab, and this is called when the person comes back. */
  readonly onReturn?: () => void;
}

/** Leads to the OpenID Connect provider; nothing where the installation has none. */
export function OpenIdLink({ to, isFresh = false, onReturn }: OpenIdLinkProps) {
  const { signIn } = messages();
  const methods = useQuery({
    queryKey: ['sign-in methods'],
    queryFn: () => get<{ readonly open_id: { readonly name: string } | null }>('session/methods'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const name = methods.data?.open_id?.name;
  useEffect(() => {
    if (name === undefined || !onReturn) return;
    addEventListener('focus', onReturn);
    return () => removeEventListener('focus', onReturn);
  }, [name, onReturn]);
  if (name === undefined) return null;
  return (
    <p>
      <a
        class="button"
        href={`${BASE}/api/session/open-id${query({ to, fresh: isFresh ? 'true' : undefined })}`}
        {...(onReturn && { target: '_blank', rel: 'noopener' })}
      >
        {signIn.through(name)}
      </a>
      {onReturn && <span class="hint">{signIn.newTab}</span>}
    </p>
  );
}
