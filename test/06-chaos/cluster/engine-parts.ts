/** Engines as what a test disturbs. */
import type { PostgresServer } from '../../support/database/postgres.ts';
import type { RunningRedis } from '../../support/programs/run-redis.ts';
import type { RunningSwift } from '../../support/programs/run-swift.ts';
import type { Disturbed } from './part.ts';

/** All processes of a PostgreSQL server. */
export function postgresPart(name: string, server: PostgresServer): Disturbed {
  return {
    name,
    stall: () => server.signal('SIGSTOP'),
    continue: () => server.signal('SIGCONT'),
    kill: () => server.stop('KILL'),
    restart: () => server.start(),
  };
}

export function enginePart(name: string, engine: RunningRedis | RunningSwift): Disturbed {
  return {
    name,
    stall: () => engine.stall(),
    continue: () => engine.continue(),
    kill: () => engine.kill(),
    restart: () => engine.restart(),
  };
}
