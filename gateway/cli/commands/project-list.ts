import { listProjects } from '../../../core/access/projects.ts';
import type { Command } from '../command.ts';
import { table } from '../terminal.ts';
import { withCore } from '../with-core.ts';

export const projectList: Command = {
  name: 'project list',
  summary: 'Lists the projects, oldest first.',
  options: { json: { about: 'as JSON' } },
  onData: true,
  async run(call) {
    const projects = await withCore(call, ({ storage }) => listProjects(storage.sql));
    if (call.switches.has('json')) {
      call.terminal.out(JSON.stringify(projects, null, 2));
      return 0;
    }
    const rows = projects.map(({ id, name, created, archived, secureAccess }) => [
      id,
      name,
      created,
      [archived === null ? '' : 'archived', secureAccess ? 'secure access' : ''].filter(Boolean).join(', '),
    ]);
    for (const line of table([['ID', 'NAME', 'CREATED', ''], ...rows])) call.terminal.out(line);
    return 0;
  },
};
