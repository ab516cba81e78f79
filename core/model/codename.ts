/** Longest codename of anything but a choice option, in characters. */
export const CODENAME_LIMIT = 60;
/** Generated codenames of items are shorter, so that a suffix against collisions fits. */
export const ITEM_CODENAME_LIMIT = 50;
export const OPTION_CODENAME_LIMIT = 160;

const SUFFIX_DIGITS = 7;

/** `On Roasts!` → `on_roasts_`; `2nd` → `n2nd`. Not empty unless the name is. */
export function toCodename(name: string, limit: number = CODENAME_LIMIT): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9_]/gu, '_');
  return (/^[0-9]/.test(plain) ? `n${plain}` : plain).slice(0, limit);
}

/**
 * The codename if it is free, else followed by the first 7 hex digits of the new object's id: `hooray_` →
 * `hooray__e5f4029`.
 */
export function uniqueCodename(
  base: string,
  taken: (codename: string) => boolean,
  id: string,
  limit: number = CODENAME_LIMIT,
): string {
  if (!taken(base)) return base;
  const hex = id.replaceAll('-', '');
  for (let digits = SUFFIX_DIGITS; ; digits++) {
    const suffix = `_${hex.slice(0, digits)}`;
    const candidate = base.slice(0, limit - suffix.length) + suffix;
    if (digits >= hex.length || !taken(candidate)) return candidate;
  }
}

/** Whether a caller's codename has the form of generated ones. */
export function isCodename(text: unknown, limit: number = CODENAME_LIMIT): text is string {
  return typeof text === 'string' && text.length <= limit && /^[a-z_][a-z0-9_]*$/.test(text);
}

/** The message about an invalid codename of a language. */
export const LANGUAGE_CODENAME_RULE =
  'A language codename has 1 to 25 letters, digits, hyphens or underscores.';

/** Language codenames keep their case and may hold hyphens: `en-US`. */
export function isLanguageCodename(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]{1,25}$/.test(text);
}
