/** The few forms that the schemas of the document are made of. */

export type Schema = Record<string, unknown>;

export const schema = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const text = (description: string): Schema => ({ type: 'string', description });
export const arrayOf = (items: Schema, description: string): Schema => ({
  type: 'array',
  items,
  description,
});
export const mapOf = (values: Schema, description: string, names?: Schema): Schema => ({
  type: 'object',
  additionalProperties: values,
  ...(names && { propertyNames: names }),
  description,
});

/** Object whose keys are all required but those named `optional`, and that has no others. */
export function closed(properties: Schema, description: string, optional: readonly string[] = []): Schema {
  return {
    type: 'object',
    description,
    properties,
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
    additionalProperties: false,
  };
}

/** One of several by the property `type`; `mapping` tells generators which schema a value stands for. */
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
