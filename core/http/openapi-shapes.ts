/** Builders for the schemas of the OpenAPI document. */

export type Schema = Record<string, unknown>;

export const schema = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const text = (description: string): Schema => ({ type: 'string', description });
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
export const arrayOf = (items: Schema, description?: string): Schema => ({
  type: 'array',
  items,
  ...(description !== undefined && { description }),
});
export const mapOf = (values: Schema, description: string, names?: Schema): Schema => ({
  type: 'object',
  additionalProperties: values,
  ...(names && { propertyNames: names }),
  description,
});

/**
 * An object without further properties; all are required except `optional`.
 * @typeParam Name the properties of the value, so that the compiler finds one without a schema
 */
export function closed<Name extends string = string>(
  properties: Readonly<Record<Name, Schema>>,
  description?: string,
  optional: readonly NoInfer<Name>[] = [],
): Schema {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    required: Object.keys(properties).filter((key) => !optional.includes(key as Name)),
    additionalProperties: false,
  };
}

/** An object in a request body; further properties are ignored. */
export function open(properties: Schema, description?: string, required: readonly string[] = []): Schema {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    ...(required.length > 0 && { required }),
  };
}

/** One of several schemas, selected by the property `type`; generators read the `mapping`. */
export function byType(names: Readonly<Record<string, string>>, description: string): Schema {
  const mapping = Object.fromEntries(
    Object.entries(names).map(([type, name]) => [type, `#/components/schemas/${name}`]),
  );
  return {
    description,
    oneOf: [...new Set(Object.values(names))].map(schema),
    discriminator: { propertyName: 'type', mapping },
  };
}

/** `ContentScope`: the content that a permission of a role is for. */
export const contentScope = closed(
  {
    types: orNull(arrayOf(text('Codename.'), 'Content types; null = all.')),
    languages: orNull(arrayOf(text('Codename.'), 'Languages; null = all.')),
  },
  'What content it is for.',
);
