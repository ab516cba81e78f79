import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Redirect, Router, useLocation } from 'wouter-preact';
import { ApiError, BASE, TITLE } from './api.ts';
import { readAhead, STALE_TIME } from './ask-ahead.ts';
import { followEvents } from './events.ts';
import { messages, useLanguage } from './messages/messages.ts';
import { Announcements } from './parts/announce.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { Failure } from './parts/failure.tsx';
import { useTryAgain } from './parts/try-again.ts';
import { language } from './preferences.ts';
import { isReadAgain, pauseAfter } from './retry-after.ts';
import { Screen } from './screen.tsx';
import { screenAt } from './screen-name.ts';
import { Shell } from './screens/shell.tsx';
import { SignInPage } from './screens/sign-in.tsx';
import { SignInLinkPage } from './screens/sign-in-link.tsx';
import { SESSION, SESSION_QUERY, type Session, useSession } from './session.ts';

/** How long the first drawing waits for the session and the first data, in milliseconds; it shows that the page is loading then. */
const LONGEST_WAIT = 200;

// By default a timer, so an answer would be drawn later by a task.
notifyManager.setScheduler(queueMicrotask);

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_TIME,
      retry: isReadAgain,
      retryDelay: pauseAfter,
    },
  },
});

/** The secret of a sign-in link, taken out of the address before anything else can read it. */
const linkToken = /^#token=([\w-]{43})$/.exec(location.hash)?.[1];
if (linkToken !== undefined) history.replaceState(null, '', `${BASE}/sign-in`);

function Application() {
  const session = useSession();
  const tryAgain = useTryAgain();
  const [token, setToken] = useState(linkToken);
  const enter = () => {
    setToken(undefined);
    void queries.resetQueries({ queryKey: SESSION });
  };
  /** Nothing stays of a person who was signed in before. */
  const enterByLink = () => (session.isLoadingError ? enter() : location.reload());
  if (token !== undefined) return <SignInLinkPage token={token} onSignedIn={enterByLink} />;
  if (session.data) return <SignedIn session={session.data} />;
  const failed = session.error ?? session.failureReason;
  if (!failed) return <p class="loading">{messages().loading}</p>;
  if (failed instanceof ApiError && failed.status === 401) return <SignInPage onSignedIn={enter} />;
  return <Failure error={failed} onRetry={tryAgain} />;
}

function SignedIn({ session }: { readonly session: Session }) {
  useEffect(() => followEvents(queries), []);
  useEffect(() => void import('./parts/once-drawn.ts').catch(() => {}), []);
  const [path] = useLocation();
  const [, section, project] = path.split('/');
  const named = section === 'projects' && project !== '' ? project : undefined;
  const [first] = session.projects;
  const start = first ? `/projects/${first.id}/home` : session.person.is_operator ? '/projects' : '/';
  if ((path === '/' || path === '/sign-in') && path !== start) return <Redirect to={start} />;
  return (
    <Shell session={session} project={named ?? first?.id}>
      <Screen path={path} />
    </Shell>
  );
}

/**
 * Draws the whole screen at once where the session and the data of a list are there soon: drawn without its rows, it would
 * be laid out twice. A component follows its queries only when the frame with it is drawn, so an answer that came
 * before would wait for a frame.
 */
async function start(place: Element): Promise<void> {
  const session = queries.prefetchQuery(SESSION_QUERY);
  const ahead = session.then(async () => {
    if (queries.getQueryData(SESSION) !== undefined)
      await readAhead(queries, screenAt(location.pathname.slice(BASE.length)));
  });
  await useLanguage(language.value);
  await Promise.race([ahead, new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT))]);
  render(
    <QueryClientProvider client={queries}>
      <Router base={BASE}>
        <ErrorBoundary>
          <Application />
        </ErrorBoundary>
        <Announcements />
      </Router>
    </QueryClientProvider>,
    place,
  );
}

document.title = TITLE;
const app = document.getElementById('app');
if (app) void start(app);
