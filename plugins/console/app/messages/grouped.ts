/** A count in groups of thousands. Without `Intl`, whose first use in a page takes as long as drawing a list. */
export function grouped(count: number, separator: string): string {
  const digits = String(count);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(separator);
}
