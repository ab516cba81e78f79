import { actRoutes } from './acts.ts';
import { assetRoutes } from './assets.ts';
import { attentionRoutes } from './attention.ts';
import { contentRoutes } from './content.ts';
import { contentListRoutes } from './content-list.ts';
import { gatewayRoutes } from './gateways.ts';
import { historyRoutes } from './history.ts';
import { itemImpactRoutes } from './item-impact.ts';
import { jobRoutes } from './jobs.ts';
import { keyRoutes } from './keys.ts';
import { modelRoutes } from './model.ts';
import { modelImpactRoutes } from './model-impact.ts';
import { previewUrlRoutes } from './preview-urls.ts';
import { processRoutes } from './processes.ts';
import { projectRoutes } from './projects.ts';
import { publishRoutes } from './publish.ts';
import { roleRoutes } from './roles.ts';
import type { Route } from './route.ts';
import { savedViewRoutes } from './saved-views.ts';
import { transferRoutes } from './transfer.ts';
import { usageRoutes } from './usage.ts';
import { userRoutes } from './users.ts';
import { versionRoutes } from './versions.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every call of the admin API. */
export const routes: readonly Route[] = [
  ...projectRoutes,
  ...keyRoutes,
  ...userRoutes,
  ...roleRoutes,
  ...usageRoutes,
  ...modelRoutes,
  ...modelImpactRoutes,
  ...attentionRoutes,
  ...contentRoutes,
  ...itemImpactRoutes,
  ...contentListRoutes,
  ...versionRoutes,
  ...assetRoutes,
  ...publishRoutes,
  ...actRoutes,
  ...savedViewRoutes,
  ...previewUrlRoutes,
  ...webhookRoutes,
  ...historyRoutes,
  ...jobRoutes,
  ...transferRoutes,
  ...processRoutes,
  ...gatewayRoutes,
];
