import { signal } from '@preact/signals';
import { type Language, language } from '../preferences.ts';
import { en, type Messages } from './en.ts';

const current = signal<Messages>(en);

/** The texts of the chosen language; a component that reads them is drawn again when it changes. */
export const messages = (): Messages => current.value;

/** Loads the texts of a language; German is a chunk of its own. */
export async function useLanguage(chosen: Language): Promise<void> {
  current.value = chosen === 'de' ? (await import('./de.ts')).de : en;
  language.value = chosen;
}

/** A time as people in the chosen language write it, in their time zone. */
export function formatTime(time: string): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(time),
  );
}
