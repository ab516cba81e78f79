import type { Route } from '../route.ts';

/** All of version 2 (spec 4.3; facts 3.6). */
export const routesV2: readonly Route[] = [];
