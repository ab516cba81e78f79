import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StartError } from '../../../config/start-error.ts';
import { type Command, requiredOption } from '../command.ts';
import { longWork } from '../progress.ts';
import { recordCommand, withCore } from '../with-core.ts';

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
    const { isDiskFull } = await import('../../../core/storage/full-disk.ts');
    const project = requiredOption(call, 'project').toLowerCase();
    const file = await archiveFile(resolve(call.folder, requiredOption(call, 'to')));
    const unfinished = `${file}.${randomUUID()}.unfinished`;
    try {
      const counts = await withCore(call, async (operations) => {
        const stream = createWriteStream(unfinished, { flags: 'wx', flush: true });
        const exported = await exportProject(operations, project, stream, {
          archive: randomUUID(),
          created: new Date().toISOString(),
          ...longWork(call, 'rows'),
        });
        await recordCommand(call, operations);
        return exported;
      });
      await rename(unfinished, file);
      call.terminal.out(JSON.stringify({ project_id: project, file, ...counts }));
      return 0;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      const message = `The disk of ${file} is full; free some space on it, or name a file elsewhere.`;
      throw new StartError(message, { cause: error });
    } finally {
      await rm(unfinished, { force: true });
    }
  },
};

/**
 * The file that a link leads to, so that the link stays.
 *
 * @throws StartError for what cannot become a file, such as a device, which a new file would replace
 */
async function archiveFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return realpath(path);
  if (found) throw new StartError(`${path} is no file; --to names the archive to write.`);
  const folder = dirname(path);
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return path;
  throw new StartError(`There is no folder ${folder} for the archive; make it first.`);
}
