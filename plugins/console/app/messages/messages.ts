import { computed, signal } from '@preact/signals';
import { language } from '../preferences.ts';
import type { Language } from '../stored-preferences.ts';
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

/** The texts of a part that is a chunk of its own: the chunk has them in both languages. */
export function textsOf<Texts>(english: Texts, german: Texts): () => Texts {
  return () => (language.value === 'de' ? german : english);
}

/** Making one takes longer than a whole row of a list. */
const timeFormat = computed(
  () => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }),
);

/** A time as people in the chosen language write it, in their time zone. */
export function formatTime(time: string): string {
  return timeFormat.value.format(new Date(time));
}

const dayFormat = computed(
  () => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }),
);

/** @param day such as 2026-11-20 */
export function formatDay(day: string): string {
  return dayFormat.value.format(new Date(day));
}

/** A number of bytes in a unit that people read. */
export function formatSize(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    // The short form is “1 byte” for any number.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** step);
}

const valueFormat = computed(
  () => new Intl.NumberFormat(language.value, { maximumFractionDigits: 20, useGrouping: false }),
);

/** A number of content: all its digits, as its form has them. */
export function formatValue(value: number): string {
  return valueFormat.value.format(value);
}

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}
