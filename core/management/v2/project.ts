import { closed } from '../../http/openapi-shapes.ts';
import { WHOLE } from '../../http/route.ts';
import { uuid } from '../management-schemas.ts';
import { type Route, routesOf } from '../route.ts';

const route = routesOf('Project', { read: 'view-content', write: 'manage-project' });

export const projectRoutes: readonly Route[] = [
  route('GET', {
    id: 'getProject',
    tagged: WHOLE,
    summary: 'Read the project',
    answers: { 200: { schema: closed({ id: uuid, name: { type: 'string' } }, 'The project.') } },
    handler: async (call) => ({
      status: 200,
      body: await call.read(async ({ project: { id, name } }) => ({ id, name })),
    }),
  }),
];
