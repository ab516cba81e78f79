import { assetRoutes } from '../assets.ts';
import { itemRoutes } from '../items.ts';
import type { Route } from '../route.ts';
import { validateRoute } from '../validate.ts';
import { variantRoutes } from '../variants.ts';
import { dialectV1 } from './dialect.ts';

/** All routes of version 1 (spec 4.4). */
export const routesV1: readonly Route[] = [
  ...itemRoutes(dialectV1),
  ...variantRoutes(dialectV1),
  ...assetRoutes('v1'),
  validateRoute({ types: false }),
];
