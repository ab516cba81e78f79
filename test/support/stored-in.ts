import type { Page } from 'playwright-core';

/** What the browser keeps of forms, as JSON. */
export const storedIn = async (of: Page): Promise<string> =>
  String(
    await of.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('headwater');
      // The page makes it, with what it needs.
      opening.onupgradeneeded = () => opening.transaction.abort();
      opening.onerror = () => resolve('');
      opening.onsuccess = () => {
        const database = opening.result;
        const reading = database.transaction('forms').objectStore('forms').getAll();
        reading.onsuccess = () => { database.close(); resolve(JSON.stringify(reading.result)); };
        reading.onerror = () => reject(reading.error);
      };
    })`),
  );
