/** An array parameter as text; the server infers its type from what it is compared with. */
export function arrayLiteral(values: readonly (string | number)[]): string {
  const members = values.map((value) =>
    typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`,
  );
  return `{${members.join(',')}}`;
}
