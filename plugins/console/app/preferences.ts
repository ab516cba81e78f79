/** Language and theme of this browser. */
import { effect, signal } from '@preact/signals';
import { type Language, store, stored, storedLanguage } from './stored-preferences.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const language = signal<Language>(storedLanguage());
export const theme = signal<Theme>(stored('theme', THEMES) ?? 'system');

effect(() => {
  document.documentElement.lang = language.value;
  store('language', language.value);
});

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  store('theme', theme.value);
});
