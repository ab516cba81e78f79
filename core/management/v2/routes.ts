import { assetRoutes } from '../assets.ts';
import { itemRoutes } from '../items.ts';
import type { Route } from '../route.ts';
import { validateRoute } from '../validate.ts';
import { variantRoutes } from '../variants.ts';
import { dialectV2 } from './dialect.ts';
import { folderRoutes } from './folders.ts';
import { languageRoutes } from './languages.ts';
import { projectRoutes } from './project.ts';
import { snippetRoutes } from './snippets.ts';
import { stateRoutes } from './states.ts';
import { taxonomyRoutes } from './taxonomies.ts';
import { typeRoutes } from './types.ts';
import { variantsOfTypeRoutes } from './variants-of-type.ts';
import { webhookRoutes } from './webhooks.ts';
import { workflowRoutes } from './workflow.ts';

/** All routes of version 2 (spec 4.3). */
export const routesV2: readonly Route[] = [
  ...itemRoutes(dialectV2),
  ...variantRoutes(dialectV2),
  ...stateRoutes,
  ...variantsOfTypeRoutes,
  ...projectRoutes,
  validateRoute({ types: true }),
  ...typeRoutes,
  ...snippetRoutes,
  ...taxonomyRoutes,
  ...languageRoutes,
  ...workflowRoutes,
  ...assetRoutes('v2'),
  ...folderRoutes,
  ...webhookRoutes,
];
