/** The OpenAPI document as the page uses it: references followed, operations in a flat list. */
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
  const { securitySchemes = {} } = description.components ?? {};
  // The browser itself sends the cookie of a person who has signed in at the console.
  const takesKey = (option) => Object.keys(option).some((name) => securitySchemes[name]?.in !== 'cookie');
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
        // Without servers of its own an operation is called on the origin of this page.
        servers: item.servers?.map((server) => server.url) ?? [location.origin],
        parameters: parameters.map((parameter) => resolve(description, parameter)),
        takesKey: (operation.security ?? []).some(takesKey),
        needsKey: (operation.security ?? []).length > 0 && operation.security.every(takesKey),
      });
    }
  }
  return operations;
}

/**
 * One entry for the paths on which an operation is called: by id, codename or external id, v2 before v1.
 * @returns `{ tag, method, summary, operations }[]`
 */
export function entriesOf(operations) {
  const entries = new Map();
  for (const operation of operations) {
    const { tag, method, summary } = operation;
    const key = JSON.stringify([tag, method, summary]);
    if (!entries.has(key)) entries.set(key, { tag, method, summary, operations: [] });
    entries.get(key).operations.push(operation);
  }
  const isOld = ({ path }) => path.includes('/v1/');
  for (const entry of entries.values()) entry.operations.sort((a, b) => isOld(a) - isOld(b));
  return [...entries.values()];
}

/**
 * @returns `{ type, required, example }` of the body of an operation, the example as indented JSON; undefined if it
 *   takes none
 */
export function bodyOf(description, { requestBody }) {
  const { content, required } = resolve(description, requestBody) ?? {};
  if (!content) return undefined;
  const [type, { schema }] = Object.entries(content)[0];
  if (type !== 'application/json') return { type };
  return { type, required, example: JSON.stringify(exampleOf(description, schema), null, 2) };
}

/** What a schema requires, or the first of its properties. A schema inside itself ends as an empty object. */
function exampleOf(description, schema, seen = []) {
  if (schema?.$ref && seen.includes(schema.$ref)) return {};
  const path = schema?.$ref ? [...seen, schema.$ref] : seen;
  const target = resolve(description, schema) ?? {};
  const of = (child) => exampleOf(description, child, path);
  if (target.example !== undefined) return target.example;
  if (target.const !== undefined) return target.const;
  if (target.enum) return target.enum[0];
  const choice = target.oneOf ?? target.anyOf;
  if (choice) return of(choice[0]);
  if (target.properties) {
    const names = target.required ?? Object.keys(target.properties).slice(0, 1);
    return Object.fromEntries(names.map((name) => [name, of(target.properties[name])]));
  }
  if (target.type === 'array') return target.items ? [of(target.items)] : [];
  const type = Array.isArray(target.type) ? target.type[0] : target.type;
  return { string: '', integer: target.minimum ?? 0, number: 0, boolean: false, null: null }[type] ?? {};
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
 * A schema as lines of text: `{ depth, name, type, note }`. A schema inside itself, or deeper
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
