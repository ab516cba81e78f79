/** Language and theme of this browser. */
import { effect, signal } from '@preact/signals';
import { type Language, store, stored, storedLanguage } from './stored-preferences.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const storedTheme = () => stored('theme', THEMES) ?? 'system';

export const language = signal<Language>(storedLanguage());
export const theme = signal<Theme>(storedTheme());

effect(() => {
  document.documentElement.lang = language.value;
  // What no one has chosen is not stored: it follows the browser.
  if (language.value !== storedLanguage()) store('language', language.value);
});

effect(() => {
  if (theme.value !== storedTheme()) store('theme', theme.value);
});
