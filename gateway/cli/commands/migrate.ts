import type { Command } from '../command.ts';
import { withCore } from '../with-core.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates the data folder or brings its database up to date, without serving.',
  details: 'A start of the service does the same; this command does it in advance.',
  options: {},
  async run(call) {
    await withCore(call, async () => undefined, { mayCreate: true });
    call.terminal.out('The database is up to date.');
    return 0;
  },
};
