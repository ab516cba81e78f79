import { type Command, requiredOption } from '../command.ts';
import { printList } from '../print.ts';
import { withCore } from '../with-core.ts';

export const keyList: Command = {
  name: 'key list',
  summary: "Lists a project's keys by their last characters, never the keys.",
  options: {
    project: { value: 'GUID', about: 'the project', required: true },
    json: { about: 'as JSON' },
  },
  onData: true,
  async run(call) {
    const { listKeys } = await import('../../../core/access/keys.ts');
    const project = requiredOption(call, 'project');
    const keys = await withCore(call, ({ storage, keyUse }) => listKeys(storage.sql, project, keyUse));
    return printList(call, keys, ['ID', 'KIND', 'KEY', 'CREATED', 'EXPIRES', 'LAST USED', 'USER'], (key) => [
      key.id,
      key.kind,
      `…${key.tail}`,
      key.created,
      key.expires ?? 'never',
      key.last_used ?? 'never',
      key.user ?? '',
    ]);
  },
};
