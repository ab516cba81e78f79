import { signal } from '@preact/signals';
import { type Language, language } from '../preferences.ts';
import { en, type Messages } from './en.ts';

const current = signal<Messages>(en);

/** The texts of the chosen language; a component that reads them is drawn again when it changes. */
export const messages = (): Messages => current.value;

/**
 * Loads the texts of a language; German is a chunk of its own.
 * @returns false where the chunk is missing, because a new version was installed since the page was loaded
 */
export async function useLanguage(chosen: Language): Promise<boolean> {
  const loaded = chosen === 'de' ? await import('./de.ts').catch(() => undefined) : { de: en };
  if (loaded === undefined) return false;
  current.value = loaded.de;
  language.value = chosen;
  return true;
}

/** A time as people in the chosen language write it, in their time zone. */
export function formatTime(time: string): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(time),
  );
}
