import type { ComponentType } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { messages } from './messages/messages.ts';

/** Each screen is a chunk that is loaded when it is first shown. */
const ContentList = lazy(() => loaded(import('./screens/content-list.tsx')));
const People = lazy(() => loaded(import('./screens/people.tsx')));
const OwnSessions = lazy(() => loaded(import('./screens/own-sessions.tsx')));

/** The screen at a path. */
export function Screen({ path }: { readonly path: string }) {
  return <Suspense fallback={<p class="loading">{messages().loading}</p>}>{screenAt(path)}</Suspense>;
}

function screenAt(path: string) {
  const [, section, project, part] = path.split('/');
  if (section === 'projects' && project !== undefined && part === 'content')
    return <ContentList key={project} project={project} />;
  if (section === 'people') return <People />;
  if (section === 'sessions') return <OwnSessions />;
  return <p>{messages().failure.notFound}</p>;
}

/** A chunk is missing where a new version was installed since the page was loaded. */
function loaded<Props>(
  chunk: Promise<{ readonly default: ComponentType<Props> }>,
): Promise<{ readonly default: ComponentType<Props> }> {
  return chunk.catch(() => ({ default: NewVersion as ComponentType<Props> }));
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
