import { signal } from '@preact/signals';
import { language } from '../preferences.ts';
import type { Translate } from './translate.ts';

/** A sentence as it is shown, and the language it is in where that is not the one of the page. */
export interface Words {
  readonly text: string;
  readonly lang?: 'en';
}

const translate = signal<Translate | undefined>(undefined);
let isLoading = false;

/** Only a page that shows a sentence of the server needs the table. */
async function load(): Promise<void> {
  isLoading = true;
  try {
    const [{ translator }, { SENTENCES }] = await Promise.all([
      import('./translate.ts'),
      import('./sentences-de.ts'),
    ]);
    translate.value = translator(SENTENCES);
  } catch {
    // They are shown as the server wrote them; the next one asks again.
    isLoading = false;
  }
}

/**
 * A sentence of the server in the language of the page. APIs answer in English; what the table does not know stays as the server
 * wrote it. A component that calls this is drawn again once the table is there.
 */
export function serverWords(sentence: string): Words {
  if (language.value !== 'de' || sentence === '') return { text: sentence };
  if (!isLoading) void load();
  const translated = translate.value?.(sentence);
  return translated === undefined ? { text: sentence, lang: 'en' } : { text: translated };
}
