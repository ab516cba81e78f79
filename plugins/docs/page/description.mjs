/** The OpenAPI document as the page needs it: references followed, operations in a flat list. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function resolve(description, value) {
  if (!value?.$ref) return value;
  const parts = value.$ref.slice(2).split('/');
  const target = parts.reduce(
    (at, part) => at[part.replaceAll('~1', '/').replaceAll('~0', '~')],
    description,
  );
  const { $ref, ...siblings } = value;
  return { ...resolve(description, target), ...siblings };
}

/** Operations in the order of the document: `{ id, tag, method, path, summary, description, parameters, … }`. */
export function operationsOf(description) {
  const operations = [];
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      operations.push({
        ...operation,
        id: operation.operationId,
        tag: operation.tags?.[0] ?? 'Other',
        method: method.toUpperCase(),
        path,
        // Without servers of its own an operation is called where this page came from.
        servers: item.servers?.map((server) => server.url) ?? [location.origin],
        parameters: parameters.map((parameter) => resolve(description, parameter)),
        takesKey: (operation.security ?? []).some((option) => Object.keys(option).length > 0),
        needsKey:
          (operation.security ?? []).length > 0 &&
          operation.security.every((option) => Object.keys(option).length > 0),
      });
    }
  }
  return operations;
}

export function responsesOf(description, operation) {
  return Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const resolved = resolve(description, response);
    const content = resolved.content?.['application/json'];
    return {
      status,
      description: resolved.description,
      schema: content?.schema,
      examples: Object.values(content?.examples ?? {}).map((example) => example.value),
    };
  });
}

/**
 * A schema as lines of text: `{ depth, name, type, note }`. A schema that stands inside itself, or deeper
 * than five levels, is only named.
 */
export function outline(description, schema, name = '', depth = 0, seen = []) {
  const reference = schema.$ref?.split('/').pop();
  const target = resolve(description, schema);
  const note = target.description ?? '';
  if (depth > 5 || (reference && seen.includes(reference)))
    return [{ depth, name, type: reference ?? typeOf(target), note }];
  const path = reference ? [...seen, reference] : seen;
  const below = (child, childName) => outline(description, child, childName, depth + 1, path);
  if (target.properties) {
    const lines = Object.entries(target.properties).flatMap(([key, child]) =>
      below(child, target.required?.includes(key) ? key : `${key}?`),
    );
    return [{ depth, name, type: 'object', note }, ...lines];
  }
  if (target.type === 'array') return [{ depth, name, type: 'array of', note }, ...below(target.items, '')];
  if (target.oneOf)
    return [{ depth, name, type: 'one of', note }, ...target.oneOf.flatMap((child) => below(child, ''))];
  if (typeof target.additionalProperties === 'object') {
    return [{ depth, name, type: 'map of', note }, ...below(target.additionalProperties, '<codename>')];
  }
  return [{ depth, name, type: typeOf(target), note }];
}

function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
  return schema.format ? `${type} (${schema.format})` : type;
}
