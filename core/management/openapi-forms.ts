/** Forms of schemas that the model and assets are described with. */
import { type Schema, text } from '../http/openapi-shapes.ts';

export const id = (description: string): Schema => ({ type: 'string', format: 'uuid', description });
export const time = (description: string): Schema => text(`${description} ISO 8601, UTC.`);
export const flag = (description: string): Schema => ({ type: 'boolean', description });
export const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
export const oneOf = (values: readonly string[], description: string): Schema => ({
  type: 'string',
  enum: values,
  description,
});
export const orNull = (one: Schema): Schema =>
  typeof one['type'] === 'string'
    ? { ...one, type: [one['type'], 'null'] }
    : { oneOf: [one, { type: 'null' }] };

/** Of a body: its properties are known, others are ignored. */
export function open(properties: Schema, description: string, required: readonly string[] = []): Schema {
  return { type: 'object', description, properties, ...(required.length > 0 && { required }) };
}
