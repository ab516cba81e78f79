import { postgresDatabase } from '../support/postgres-database.ts';
import { storageSuite } from './storage-suite.ts';

storageSuite('PostgreSQL', async (clock) => {
  const database = await postgresDatabase();
  let storage = await database.open('', clock);
  return {
    storage,
    async reopen() {
      await storage.close();
      storage = await database.open('', clock);
      return storage;
    },
    async dispose() {
      await storage.close();
      await database.remove();
    },
  };
});
