import type { Command } from '../command.ts';
import { printList } from '../print.ts';
import { withCore } from '../with-core.ts';

export const projectList: Command = {
  name: 'project list',
  summary: 'Lists the projects, oldest first.',
  options: { json: { about: 'as JSON' } },
  onData: true,
  async run(call) {
    const { listProjects } = await import('../../../core/access/projects.ts');
    const listed = await withCore(call, ({ storage }) => listProjects(storage.sql));
    const projects = listed.map(({ id, name, secureAccess, managementApi, created, archived }) => ({
      id,
      name,
      secure_access: secureAccess,
      management_api: managementApi,
      created,
      archived,
    }));
    const head = ['ID', 'NAME', 'CREATED', ''];
    return printList(call, projects, head, ({ id, name, created, archived, secure_access }) => [
      id,
      name,
      created,
      [archived === null ? '' : 'archived', secure_access ? 'secure access' : ''].filter(Boolean).join(', '),
    ]);
  },
};
