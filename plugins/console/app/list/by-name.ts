interface Named {
  readonly name: string;
  readonly codename: string;
}

/** In the order in which people look for a name. @param language of the page */
export function byName<T extends Named>(
  all: readonly T[],
  language: string = document.documentElement.lang,
): T[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return [...all].sort((one, other) => compare(one.name, other.name));
}

/** Those that have the text in their name or codename. */
export function namedLike<T extends Named>(all: readonly T[], text: string): readonly T[] {
  const searched = text.trim().toLowerCase();
  return all.filter(({ name, codename }) => `${name}\n${codename}`.toLowerCase().includes(searched));
}
