import { z } from 'zod';
import { invalidBody, type JsonObject } from '../json-body/parse-body.ts';
import type { Schema } from './openapi-shapes.ts';

/** @throws invalidBody with all issues */
export function readBody<Type extends z.ZodType>(type: Type, body: JsonObject): z.infer<Type> {
  const read = type.safeParse(body);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ message, path }) => ({ message, path: path.join('.') }));
  // A value of a wrong type may break other rules of its field as well.
  const paths = new Set<string>();
  throw invalidBody(issues.filter(({ path }) => paths.size < paths.add(path).size));
}

/** JSON Schema of a body that `readBody` reads. */
export function bodyOf(type: z.ZodType): Schema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(type, { io: 'input' });
  return described;
}
