import type { ComponentType } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { messages } from './messages/messages.ts';

/** Each screen is a chunk that is loaded when it is first shown. */
const ContentList = lazy(() =>
  loaded(import('./screens/content-list.tsx').then((screen) => screen.ContentList)),
);
const People = lazy(() => loaded(import('./screens/people.tsx').then((screen) => screen.People)));
const Roles = lazy(() => loaded(import('./screens/roles.tsx').then((screen) => screen.Roles)));
const OwnSessions = lazy(() =>
  loaded(import('./screens/own-sessions.tsx').then((screen) => screen.OwnSessions)),
);

/** The screen at a path. */
export function Screen({ path }: { readonly path: string }) {
  return <Suspense fallback={<p class="loading">{messages().loading}</p>}>{screenAt(path)}</Suspense>;
}

function screenAt(path: string) {
  const [, section, project, part] = path.split('/');
  if (section === 'projects' && project !== undefined && part === 'content')
    return <ContentList key={project} project={project} />;
  if (section === 'people') return <People />;
  if (section === 'roles') return <Roles />;
  if (section === 'sessions') return <OwnSessions />;
  return <p>{messages().failure.notFound}</p>;
}

/** A chunk is missing where a new version was installed since the page was loaded. */
function loaded<Props>(
  screen: Promise<ComponentType<Props>>,
): Promise<{ readonly default: ComponentType<Props> }> {
  return screen.then(
    (component) => ({ default: component }),
    () => ({ default: NewVersion as ComponentType<Props> }),
  );
}

function NewVersion() {
  const { failure } = messages();
  return (
    <div class="failure" role="alert">
      <p>{failure.reload}</p>
      <button type="button" onClick={() => location.reload()}>
        {failure.reloadNow}
      </button>
    </div>
  );
}
