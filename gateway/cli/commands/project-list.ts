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
    const projects = await withCore(call, ({ storage }) => listProjects(storage.sql));
    const head = ['ID', 'NAME', 'CREATED', ''];
    return printList(call, projects, head, ({ id, name, created, archived, secureAccess }) => [
      id,
      name,
      created,
      [archived === null ? '' : 'archived', secureAccess ? 'secure access' : ''].filter(Boolean).join(', '),
    ]);
  },
};
