import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, requiredOption } from '../command.ts';
import { longWork } from '../progress.ts';
import { withCore } from '../with-core.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Writes a whole project into one archive, files included.',
  details:
    'The archive is a tar. It holds the model, items with their drafts and published versions, schedules and\n' +
    'assets; no keys, users, webhooks or history. The file appears once it is complete. Prints JSON.',
  options: {
    project: { value: 'GUID', about: 'the project', required: true },
    to: { value: 'FILE', about: 'the archive to write; replaces an existing file', required: true },
  },
  onData: true,
  async run(call) {
    const { exportProject } = await import('../../../core/transfer/export-project.ts');
    const project = requiredOption(call, 'project').toLowerCase();
    const file = resolve(call.folder, requiredOption(call, 'to'));
    const unfinished = `${file}.${randomUUID()}.unfinished`;
    try {
      const counts = await withCore(call, (operations) =>
        exportProject(operations, project, createWriteStream(unfinished, { flags: 'wx', flush: true }), {
          archive: randomUUID(),
          created: new Date().toISOString(),
          ...longWork(call, 'rows'),
        }),
      );
      await rename(unfinished, file);
      call.terminal.out(JSON.stringify({ project_id: project, file, ...counts }));
      return 0;
    } finally {
      await rm(unfinished, { force: true });
    }
  },
};
