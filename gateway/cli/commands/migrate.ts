import type { Command } from '../command.ts';
import { withCore } from '../with-core.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates the data folder or brings its database up to date, without serving.',
  details: 'Starting the service does the same; this is for doing it beforehand.',
  options: {},
  async run(call) {
    await withCore(call, async () => undefined, { mayCreate: true });
    call.terminal.out('The database is up to date.');
    return 0;
  },
};
