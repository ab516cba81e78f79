import type { MigrationStep } from '../../../core/storage/migrations/run-migrations.ts';
import type { Call, Command } from '../command.ts';
import { counted } from '../print.ts';
import { coreSettings } from '../with-core.ts';

/** A migration that takes longer is reported again. */
const REPORT_MS = 5000;

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates the database or brings it up to date, without serving.',
  details:
    'A start of the service does the same, unless the setting migrations is command. On PostgreSQL it runs beside\n' +
    'running cores; an outdated data folder with SQLite must not be in use. Several at once wait for each other.',
  options: {},
  async run(call) {
    const settings = await coreSettings(call);
    const { migrateDatabase } = await import('../../../core/compose/migrate-database.ts');
    const report = reporter(call);
    const { from, to, count } = await migrateDatabase(settings, {
      waiting: (seconds) =>
        call.terminal.err(`Another process migrates the database; waiting for it, at most ${seconds} s.`),
      began: report.began,
      indexing: () =>
        call.terminal.progress('writing indexes of the database that a command has left out: it ended early'),
    }).finally(report.end);
    if (count === 0) call.terminal.out(`The database is up to date: its schema is ${to}.`);
    else if (from === null) call.terminal.out(`The database was created: its schema is ${to}.`);
    else
      call.terminal.out(`The database was migrated from ${from} to ${to}: ${counted(count, 'migration')}.`);
    return 0;
  },
};

/** Prints a line for each migration, and one every few seconds while it lasts. */
function reporter({ terminal }: Call) {
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearInterval(timer);
  return {
    end,
    began({ name, number, count }: MigrationStep): void {
      end();
      const began = performance.now();
      const report = () => {
        const seconds = Math.round((performance.now() - began) / 1000);
        terminal.progress(`${name}, ${number} of ${count}${seconds > 0 ? `, ${seconds} s` : ''}`);
      };
      report();
      timer = setInterval(report, REPORT_MS);
    },
  };
}
