/** Imported by tests that always need PostgreSQL: its programs are there before the first test; to install them may take minutes. */
import { realProgram } from '../programs/real-program.ts';

before(async function installPostgres() {
  this.timeout(300_000);
  await realProgram('initdb');
  await realProgram('pgbouncer');
});
