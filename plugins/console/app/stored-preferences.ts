/** What this browser keeps of a person's choices. */

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

export function storedLanguage(): Language {
  return stored('language', LANGUAGES) ?? (navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en');
}

export function stored<T extends string>(name: string, allowed: readonly T[]): T | undefined {
  try {
    const found = localStorage.getItem(`headwater.${name}`);
    return allowed.find((one) => one === found);
  } catch {
    return undefined;
  }
}

export function store(name: string, value: string): void {
  try {
    localStorage.setItem(`headwater.${name}`, value);
  } catch {
    // The browser stores nothing: the choice lasts as long as the page.
  }
}
