import { useQueryClient } from '@tanstack/preact-query';
import { lazy, Suspense } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { askForItem } from './ask-ahead.ts';
import { messages } from './messages/messages.ts';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { loaded } from './parts/loaded-chunk.tsx';
import { screenAt } from './screen-name.ts';
import { ContentList } from './screens/content-list.tsx';
import type { ModelPart } from './screens/model/model-screen.tsx';

/** Each screen is a chunk that is loaded when it is first shown, but the content list, which is shown most. */
const ItemEditor = lazy(() =>
  loaded(import('./screens/item/item-editor.tsx').then((screen) => screen.ItemEditor)),
);
const ModelScreen = lazy(() =>
  loaded(import('./screens/model/model-screen.tsx').then((screen) => screen.ModelScreen)),
);
const Assets = lazy(() => loaded(import('./screens/assets/assets.tsx').then((screen) => screen.Assets)));
const AssetDetail = lazy(() =>
  loaded(import('./screens/assets/asset-detail.tsx').then((screen) => screen.AssetDetail)),
);
const HistoryScreen = lazy(() =>
  loaded(import('./screens/history/history-screen.tsx').then((screen) => screen.HistoryScreen)),
);
const Home = lazy(() => loaded(import('./screens/home.tsx').then((screen) => screen.Home)));
const ExportScreen = lazy(() => loaded(import('./screens/export.tsx').then((screen) => screen.ExportScreen)));
const Jobs = lazy(() => loaded(import('./screens/jobs.tsx').then((screen) => screen.Jobs)));
const Gateways = lazy(() => loaded(import('./screens/gateways.tsx').then((screen) => screen.Gateways)));
const LiveRequests = lazy(() =>
  loaded(import('./screens/live-requests.tsx').then((screen) => screen.LiveRequests)),
);
const Calendar = lazy(() => loaded(import('./screens/calendar.tsx').then((screen) => screen.Calendar)));
const People = lazy(() => loaded(import('./screens/people.tsx').then((screen) => screen.People)));
const Roles = lazy(() => loaded(import('./screens/roles.tsx').then((screen) => screen.Roles)));
const Keys = lazy(() => loaded(import('./screens/keys.tsx').then((screen) => screen.Keys)));
const Webhooks = lazy(() => loaded(import('./screens/webhooks.tsx').then((screen) => screen.Webhooks)));
const WebhookLog = lazy(() =>
  loaded(import('./screens/webhook-log.tsx').then((screen) => screen.WebhookLog)),
);
const Usage = lazy(() => loaded(import('./screens/usage.tsx').then((screen) => screen.Usage)));
const InstallationScreen = lazy(() =>
  loaded(import('./screens/installation.tsx').then((screen) => screen.InstallationScreen)),
);
const Audit = lazy(() => loaded(import('./screens/audit.tsx').then((screen) => screen.Audit)));
const Projects = lazy(() => loaded(import('./screens/projects.tsx').then((screen) => screen.Projects)));
const OwnSessions = lazy(() =>
  loaded(import('./screens/own-sessions.tsx').then((screen) => screen.OwnSessions)),
);

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
  if (!screen) return <h1>{messages().failure.notFound}</h1>;
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
