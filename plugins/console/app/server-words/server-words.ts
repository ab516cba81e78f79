import { signal } from '@preact/signals';
import { language } from '../preferences.ts';
import type { Translate, Words } from './translate.ts';

/** As the server wrote them. */
const untranslated: Translate = () => undefined;

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
    // The next sentence asks again.
    isLoading = false;
    translate.value = untranslated;
  }
}

/**
 * A sentence of the server in the language of the page. APIs answer in English; what the table does not know stays as the server
 * wrote it. A component that calls this is drawn again once the table is there; until then it has no words, so that a screen
 * reader does not read an alert in both languages.
 */
export function serverWords(sentence: string): readonly Words[] {
  if (language.value !== 'de' || sentence === '') return [{ text: sentence }];
  if (!isLoading) void load();
  if (translate.value === undefined) return [];
  return translate.value(sentence) ?? [{ text: sentence, lang: 'en' }];
}
