import type { Bench, Figure, Measure } from '../benchmark.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startParts } from '../webhooks/parts.ts';
import { startDatabases } from './databases.ts';

const WEBHOOKS = 50;
const EVENTS = 90;

/** Durable, ordered, signed and recorded notifications. */
export const postgresNotifications: Measure = {
  name: 'postgres-notifications',
  about: `notifications/s over ${WEBHOOKS} webhooks, PostgreSQL ÷ SQLite`,
  async run({ datasets, rounds, requests }: Bench): Promise<readonly Figure[]> {
    const database = await (await startDatabases(datasets, [1000])).of(1000);
    const events = requests(EVENTS);
    const drain = async (url?: string) => {
      const parts = await startParts({ datasets }, url);
      const project = await parts.project(parts.urls('healthy', WEBHOOKS));
      return async () => (await parts.sender.ask({ do: 'drain', project, events })).perSecond!;
    };
    const found = await takeTurns(rounds, { postgres: await drain(database.url), sqlite: await drain() });
    return [
      {
        name: 'notifications/s ÷ SQLite',
        ...compared(found.postgres, found.sqlite),
        unit: '×',
        target: { atLeast: 0.5 },
        detail: `${median(found.postgres).toFixed(0)}/s ÷ ${median(found.sqlite).toFixed(0)}/s`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no PostgreSQL' },
};
