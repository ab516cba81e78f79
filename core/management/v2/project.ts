import { closed } from '../../http/openapi-shapes.ts';
import { uuid } from '../management-schemas.ts';
import { type Route, route } from '../route.ts';

export const projectRoutes: readonly Route[] = [
  route(
    'GET',
    '',
    {
      id: 'getProject',
      tag: 'Project',
      summary: 'The project itself',
      answers: { 200: { schema: closed({ id: uuid, name: { type: 'string' } }, 'The project.') } },
    },
    async (call) => ({
      status: 200,
      body: await call.read(async ({ project: { id, name } }) => ({ id, name })),
    }),
  ),
];
