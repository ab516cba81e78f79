import {
  archiveProject,
  createProject,
  findListedProject,
  listProjects,
  type ProjectListing,
  restoreProject,
} from '../access/projects.ts';
import { ServiceError } from '../errors.ts';
import { closed, flag, id, open, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { WHOLE } from '../http/route.ts';
import { NOTHING, ok } from './call.ts';
import { creates, lists, routesOf, shows, string } from './route.ts';

const route = routesOf({ read: 'operator', write: 'operator' });

export const projectRoutes = [
  route('POST projects', {
    id: 'createProject',
    summary: 'Create a project',
    body: open(
      { name: string, id: string, default_language: closed({ name: string, codename: string }) },
      undefined,
      ['name'],
    ),
    answers: creates('AdminNewProject'),
    conflict: true,
    handler: async ({ operations, body }) => {
      const input = await body();
      // The operation checks the body.
      const made = await operations.installation(null, (to) => createProject(to, input as never));
      const { id, name, default_language, keys } = made;
      return { status: 201, body: { id, name, default_language, keys } };
    },
  }),
  route('GET projects', {
    id: 'listProjects',
    summary: 'List projects, archived ones included',
    answers: lists('projects', 'AdminProject'),
    handler: async ({ operations }) => {
      const projects = await listProjects(operations.reader.sql);
      return ok({ projects: projects.map(toJson) });
    },
  }),
  route('GET projects/:project', {
    id: 'getProject',
    tagged: WHOLE,
    summary: 'Read a project',
    permission: 'view-content',
    answers: shows('AdminProject'),
    handler: async ({ operations, at }) => {
      const project = await findListedProject(operations.reader.sql, at('project'));
      if (!project)
        throw new ServiceError('unknownProject', `There is no project with the id '${at('project')}'.`);
      return ok(toJson(project));
    },
  }),
  route('DELETE projects/:project', {
    id: 'archiveProject',
    summary: 'Archive a project',
    permission: 'manage-project',
    handler: async ({ operations, at }) => {
      await operations.installation(null, (to) => archiveProject(to, at('project')));
      return NOTHING;
    },
  }),
  route('PUT projects/:project/restore', {
    id: 'restoreProject',
    summary: 'Restore an archived project',
    handler: async ({ operations, at }) => {
      await operations.installation(null, (to) => restoreProject(to, at('project')));
      return NOTHING;
    },
  }),
];

function toJson({ id, name, secureAccess, managementApi, created, archived }: ProjectListing) {
  return { id, name, secure_access: secureAccess, management_api: managementApi, created, archived };
}

export const projectSchemas = {
  AdminProject: closed(
    {
      id: id('Id of the project.'),
      name: text('Name.'),
      secure_access: flag('Production delivery requires a key.'),
      management_api: flag('The management API is enabled.'),
      created: time('When it was created.'),
      archived: orNull(time('When it was archived.')),
    },
    'A project.',
  ),
  AdminNewProject: closed(
    {
      id: id('Id of the project.'),
      name: text('Name.'),
      default_language: schema('AdminNamed'),
      keys: closed(
        { 'preview-primary': text('A key.'), 'preview-secondary': text('Another one.') },
        'Keys of preview; shown this once.',
      ),
    },
    'A project that was just created.',
  ),
};
