import type { UnsavedElement, VariantServer } from './item-form.ts';
import type { ManagedElement } from './managed.ts';
import { findingsOf, Obstructed, Refused } from './saving.ts';

/**
 * Writes elements of a variant as those of another item. What that one may not hold, such as a term that does not exist yet,
 * is left out.
 *
 * @param nameOf name of an element by its id
 * @returns what the server refused
 * @throws ApiError
 */
export async function writeCopy(
  server: VariantServer,
  elements: readonly ManagedElement[],
  nameOf: (id: string) => string,
): Promise<readonly UnsavedElement[]> {
  // By an earlier attempt, which failed at another language.
  if ((await server.read()).variant !== null) return [];
  const refused: ManagedElement[] = [];
  for (let sent = elements; ; ) {
    try {
      const { variant } = await server.write(sent, undefined, false);
      const written = new Map(variant?.elements.map((one) => [one.element.id, one]));
      return refused.map((mine) => ({
        mine,
        base: written.get(mine.element.id) ?? mine,
        name: nameOf(mine.element.id),
      }));
    } catch (error) {
      const findings = error instanceof Refused ? findingsOf(error, sent) : undefined;
      if (!findings) throw error instanceof Refused || error instanceof Obstructed ? error.cause : error;
      const isRefused = ({ element: { id } }: ManagedElement) =>
        findings.some(({ element }) => element === id);
      refused.push(...sent.filter(isRefused));
      sent = sent.filter((one) => !isRefused(one));
    }
  }
}

/** Characters of a name, as the server counts them. */
const LONGEST_NAME = 50;

/** The name of a copy. Of one that would be too long, the end of the name is left out. @param copyOf puts it into words */
export function nameOfCopy(name: string, copyOf: (name: string) => string): string {
  const excess = copyOf(name).length - LONGEST_NAME;
  if (excess <= 0) return copyOf(name);
  // No half of a character of two units.
  const kept = name.slice(0, -excess - 1).replace(/[\ud800-\udbff]$/, '');
  return copyOf(`${kept.trimEnd()}…`);
}
