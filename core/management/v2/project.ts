import { type Route, route } from '../route.ts';

/** The project itself. */
export const projectRoutes: readonly Route[] = [
  route('GET', '', async (call) => ({
    status: 200,
    body: await call.read(async ({ project: { id, name } }) => ({ id, name })),
  })),
];
