import { itemRoutes } from '../items.ts';
import type { Route } from '../route.ts';
import { variantRoutes } from '../variants.ts';
import { dialectV2 } from './dialect.ts';
import { projectRoutes } from './project.ts';
import { stateRoutes } from './states.ts';
import { variantsOfTypeRoutes } from './variants-of-type.ts';

/** All of version 2 (spec 4.3; facts 3.6). */
export const routesV2: readonly Route[] = [
  ...itemRoutes(dialectV2),
  ...variantRoutes(dialectV2),
  ...stateRoutes,
  ...variantsOfTypeRoutes,
  ...projectRoutes,
];
