import { useQueryClient } from '@tanstack/preact-query';
import { lazy, Suspense } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { askForItem } from './ask-ahead.ts';
import { messages } from './messages/messages.ts';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { loaded } from './parts/loaded-chunk.tsx';
import { PageHeading } from './parts/page-heading.tsx';
import { screenAt } from './screen-name.ts';
import { ContentList } from './screens/content-list.tsx';
import type { ModelPart } from './screens/model/model-screen.tsx';

/** Each screen is a chunk that is loaded when it is first shown, but the content list, which is shown most. */
const ItemEditor = lazy(() => loaded(import('./screens/item/item-editor.tsx'), 'ItemEditor'));
const ModelScreen = lazy(() => loaded(import('./screens/model/model-screen.tsx'), 'ModelScreen'));
const Assets = lazy(() => loaded(import('./screens/assets/assets.tsx'), 'Assets'));
const AssetDetail = lazy(() => loaded(import('./screens/assets/asset-detail.tsx'), 'AssetDetail'));
const HistoryScreen = lazy(() => loaded(import('./screens/history/history-screen.tsx'), 'HistoryScreen'));
const Home = lazy(() => loaded(import('./screens/home.tsx'), 'Home'));
const ExportScreen = lazy(() => loaded(import('./screens/export.tsx'), 'ExportScreen'));
const Jobs = lazy(() => loaded(import('./screens/jobs.tsx'), 'Jobs'));
const Gateways = lazy(() => loaded(import('./screens/gateways.tsx'), 'Gateways'));
const LiveRequests = lazy(() => loaded(import('./screens/live-requests.tsx'), 'LiveRequests'));
const Calendar = lazy(() => loaded(import('./screens/calendar.tsx'), 'Calendar'));
const People = lazy(() => loaded(import('./screens/people.tsx'), 'People'));
const Roles = lazy(() => loaded(import('./screens/roles.tsx'), 'Roles'));
const Keys = lazy(() => loaded(import('./screens/keys.tsx'), 'Keys'));
const Webhooks = lazy(() => loaded(import('./screens/webhooks.tsx'), 'Webhooks'));
const WebhookLog = lazy(() => loaded(import('./screens/webhook-log.tsx'), 'WebhookLog'));
const Usage = lazy(() => loaded(import('./screens/usage.tsx'), 'Usage'));
const InstallationScreen = lazy(() => loaded(import('./screens/installation.tsx'), 'InstallationScreen'));
const Audit = lazy(() => loaded(import('./screens/audit.tsx'), 'Audit'));
const Projects = lazy(() => loaded(import('./screens/projects.tsx'), 'Projects'));
const OwnSessions = lazy(() => loaded(import('./screens/own-sessions.tsx'), 'OwnSessions'));

/** The screen at a path. */
export function Screen({ path }: { readonly path: string }) {
  const queries = useQueryClient();
  useMemo(() => {
    const screen = screenAt(path);
    if (screen?.name === 'item-editor')
      askForItem(queries, screen, new URLSearchParams(location.search).get('language'));
  }, [path]);
  return (
    <ErrorBoundary path={path}>
      <Suspense fallback={<p class="loading">{messages().loading}</p>}>{drawn(path)}</Suspense>
    </ErrorBoundary>
  );
}

function drawn(path: string) {
  const screen = screenAt(path);
  // Who has a project is led to it.
  if (!screen) return <PageHeading>{messages().failure[path === '/' ? 'noRole' : 'notFound']}</PageHeading>;
  const { name, project, part, object } = screen;
  switch (name) {
    case 'home':
      return <Home key={project} project={project} />;
    case 'export':
      return <ExportScreen key={project} project={project} />;
    case 'content-list':
      return <ContentList key={project} project={project} />;
    case 'item-editor':
      return <ItemEditor key={object} project={project} item={object} />;
    case 'history-screen':
      return <HistoryScreen key={object} project={project} item={object} />;
    case 'assets':
      return <Assets key={project} project={project} />;
    case 'asset-detail':
      return <AssetDetail key={object} project={project} id={object} />;
    case 'model-screen':
      return (
        <ModelScreen
          key={`${project} ${part}`}
          project={project}
          part={part as ModelPart}
          object={object === '' ? undefined : object}
        />
      );
    case 'webhooks':
      return <Webhooks project={project} />;
    case 'webhook-log':
      return <WebhookLog project={project} webhook={object} />;
    case 'calendar':
      return <Calendar project={project} />;
    case 'keys':
      return <Keys project={project} />;
    case 'usage':
      return <Usage project={project} />;
    case 'projects':
      return <Projects />;
    case 'people':
      return <People />;
    case 'roles':
      return <Roles />;
    case 'installation':
      return <InstallationScreen />;
    case 'gateways':
      return <Gateways />;
    case 'live-requests':
      return <LiveRequests />;
    case 'jobs':
      return <Jobs />;
    case 'audit':
      return <Audit />;
    case 'own-sessions':
      return <OwnSessions />;
  }
}
