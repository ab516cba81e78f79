/** Run as a process: opens the database of its argument, asks for a duty, and prints its owner. */
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';

const { owner } = await openPostgres({ url: process.argv[2]! });
await owner.exclusive('duty');
console.log(owner.id);
// Ends with the process that started it.
process.stdin.resume().once('end', () => process.exit());
