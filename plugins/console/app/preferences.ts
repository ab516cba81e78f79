/** Language and theme of this browser. */
import { effect, signal } from '@preact/signals';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const language = signal<Language>(stored('language', LANGUAGES) ?? browserLanguage());
export const theme = signal<Theme>(stored('theme', THEMES) ?? 'system');

effect(() => {
  document.documentElement.lang = language.value;
  store('language', language.value);
});

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  store('theme', theme.value);
});

function browserLanguage(): Language {
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
}

function stored<T extends string>(name: string, allowed: readonly T[]): T | undefined {
  try {
    const found = localStorage.getItem(`headwater.${name}`);
    return allowed.find((one) => one === found);
  } catch {
    return undefined;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(`headwater.${name}`, value);
  } catch {
    // The browser stores nothing: the choice lasts as long as the page.
  }
}
