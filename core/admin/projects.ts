import {
  archiveProject,
  createProject,
  findProject,
  listProjects,
  type ProjectFacts,
  restoreProject,
} from '../access/projects.ts';
import { ServiceError } from '../errors.ts';
import { NOTHING, ok, route } from './call.ts';

export const projectRoutes = [
  route('POST', 'projects', async ({ operations, body }) => {
    const input = await body();
    // The operation checks every field itself.
    const made = await operations.installation(null, (to) => createProject(to, input as never));
    const { id, name, default_language, keys } = made;
    return { status: 201, body: { id, name, default_language, keys } };
  }),
  route('GET', 'projects', async ({ operations }) => {
    const projects = await listProjects(operations.reader.sql);
    return ok({
      projects: projects.map((project) => ({
        ...toJson(project),
        created: project.created,
        archived: project.archived,
      })),
    });
  }),
  route('GET', 'projects/:project', async ({ operations, at }) => {
    const project = await findProject(operations.reader.sql, at('project'));
    if (!project)
      throw new ServiceError('unknownProject', `There is no project with the id '${at('project')}'.`);
    return ok(toJson(project));
  }),
  route('DELETE', 'projects/:project', async ({ operations, at }) => {
    await operations.installation(null, (to) => archiveProject(to, at('project')));
    return NOTHING;
  }),
  route('PUT', 'projects/:project/restore', async ({ operations, at }) => {
    await operations.installation(null, (to) => restoreProject(to, at('project')));
    return NOTHING;
  }),
];

function toJson({ id, name, secureAccess, managementApi }: ProjectFacts) {
  return { id, name, secure_access: secureAccess, management_api: managementApi };
}
