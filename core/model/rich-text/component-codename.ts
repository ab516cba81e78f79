/** Codename of a component as delivery shows it: its id with `_` for `-`, `n` before a leading digit. */
export function componentCodename(id: string): string {
  const codename = id.replaceAll('-', '_');
  return /^[0-9]/.test(codename) ? `n${codename}` : codename;
}
