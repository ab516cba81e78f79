import type { Route } from '../route.ts';

/** All of version 1 (spec 4.4; facts 3.5). */
export const routesV1: readonly Route[] = [];
