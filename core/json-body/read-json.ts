import type { ValidationIssue } from '../errors.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { JsonReader, type Visitor } from './json-reader.ts';
import { positionAt } from './position-at.ts';

/** Characters that are read before the turn may end: about 2 ms of the slowest ones. */
const PIECE = 32_768;

/** The value, or what is wrong with the text and where. */
export async function readJson(
  text: string,
): Promise<{ readonly value: unknown } | { readonly issue: ValidationIssue }> {
  const reader = await readAll(text);
  const { value, violation, isBroken } = reader;
  if (isBroken) {
    const { describeBrokenJson } = await import('./broken-json.ts');
    return { issue: await describeBrokenJson(text) };
  }
  if (violation)
    return { issue: { message: violation.message, ...(await positionAt(text, violation.offset)) } };
  return { value };
}

/** @param isBounded as in `JsonReader` */
export async function readAll(text: string, visitor?: Visitor, isBounded?: boolean): Promise<JsonReader> {
  const reader = new JsonReader(text, visitor, isBounded);
  do {
    if (isTurnLong()) await nextTurn();
  } while (!reader.read(PIECE));
  return reader;
}
