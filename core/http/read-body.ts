import { z } from 'zod';
import type { JsonObject } from '../json-body/parse-body.ts';
import { Issues } from '../model/issues.ts';
import { shorten } from '../model/reference.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { bodySentence } from './body-sentence.ts';
import type { Schema } from './openapi-shapes.ts';

/** Characters of a message: one about unknown keys names all of them. */
const MESSAGE_LENGTH = 500;
/** Members of a list that are read before the turn may end: 2 ms of the slowest ones, unions that nothing fits. */
const PIECE = 32;
/** For rules whose schema has no message of its own. */
const WORDS = { error: bodySentence };

/**
 * Reads the members of long lists last, in pieces.
 * @throws invalidBody with the first issues
 */
export async function readBody<Type extends z.ZodType>(type: Type, body: JsonObject): Promise<z.infer<Type>> {
  const issues = new Issues();
  const lists = longLists(type, body);
  const read = withoutMembers(type, lists).safeParse(body, WORDS);
  if (!read.success) addIssues(issues, read.error);
  issues.refuse();
  const value = read.data as Record<string, unknown>;
  for (const [name, { element }] of lists) {
    const given = value[name] as readonly unknown[];
    const members: unknown[] = [];
    for (let at = 0; at < given.length && !issues.isFull; at += PIECE) {
      if (isTurnLong()) await nextTurn();
      const piece = z.array(element).safeParse(given.slice(at, at + PIECE), WORDS);
      if (piece.success) members.push(...piece.data);
      else addIssues(issues, piece.error, ([index, ...inside]) => [name, at + Number(index), ...inside]);
    }
    value[name] = members;
  }
  issues.refuse();
  return value as z.infer<Type>;
}

type List = z.ZodArray<z.ZodType>;
type Path = readonly PropertyKey[];

function longLists(type: z.ZodType, body: JsonObject): readonly (readonly [name: string, list: List])[] {
  if (!(type instanceof z.ZodObject)) return [];
  return Object.entries(type.shape as Record<string, z.ZodType>).flatMap(([name, member]) => {
    const given = Object.hasOwn(body, name) ? body[name] : undefined;
    if (!Array.isArray(given) || given.length <= PIECE) return [];
    const list = member instanceof z.ZodOptional ? member.unwrap() : member;
    return list instanceof z.ZodArray ? [[name, list as List] as const] : [];
  });
}

function withoutMembers(type: z.ZodType, lists: ReturnType<typeof longLists>): z.ZodType {
  if (!(type instanceof z.ZodObject) || lists.length === 0) return type;
  return type.extend(
    Object.fromEntries(lists.map(([name, list]) => [name, list.clone({ ...list.def, element: z.any() })])),
  );
}

function addIssues(issues: Issues, error: z.ZodError, pathOf = (path: Path): Path => path): void {
  for (const { message, path } of error.issues) {
    if (issues.isFull) return;
    const at = pathText(pathOf(path));
    // A value of a wrong type may break other rules of its field as well.
    if (at !== undefined && issues.has(at)) continue;
    issues.add(shorten(message, MESSAGE_LENGTH), at);
  }
}

/** A path as issues have it, such as `objects[2].item`; undefined for the whole body. */
function pathText([first, ...others]: Path): string | undefined {
  if (first === undefined) return undefined;
  return others.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    String(first),
  );
}

/** JSON Schema of a body that `readBody` reads. */
export function bodyOf(type: z.ZodType): Schema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(type, { io: 'input' });
  return described;
}
