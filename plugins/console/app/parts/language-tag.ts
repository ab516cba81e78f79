/** The tag of a language (BCP 47), where its codename is one; undefined for one like `default`. */
export function languageTag(codename: string | undefined): string | undefined {
  if (codename === undefined || !/^[a-z]{2,3}(?:-|$)/i.test(codename)) return undefined;
  try {
    return Intl.getCanonicalLocales(codename)[0];
  } catch {
    return undefined;
  }
}
