import type { Page } from 'playwright-core';

/** What the browser has of forms, as JSON. */
export const storedIn = (page: Page): Promise<string> => readStored(page, 'getAll');
/** Under which keys it has them, as JSON; they begin with the person. */
export const storedKeysIn = (page: Page): Promise<string> => readStored(page, 'getAllKeys');

const readStored = async (of: Page, method: 'getAll' | 'getAllKeys'): Promise<string> =>
  String(
    await of.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('headwater');
      // The page makes it, with what it needs.
      opening.onupgradeneeded = () => opening.transaction.abort();
      opening.onerror = () => resolve('');
      opening.onsuccess = () => {
        const database = opening.result;
        const reading = database.transaction('forms').objectStore('forms').${method}();
        reading.onsuccess = () => { database.close(); resolve(JSON.stringify(reading.result)); };
        reading.onerror = () => reject(reading.error);
      };
    })`),
  );
