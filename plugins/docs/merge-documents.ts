type Json = Record<string, unknown>;

/** One document of two: tags in order, paths and each kind of component side by side; `first` gives the rest. */
export function mergeDocuments(first: Json, second: Json): Json {
  const components: Json = { ...record(first['components']) };
  for (const [kind, entries] of Object.entries(record(second['components']))) {
    components[kind] = { ...record(components[kind]), ...record(entries) };
  }
  return {
    ...first,
    tags: [...list(first['tags']), ...list(second['tags'])],
    paths: { ...record(first['paths']), ...record(second['paths']) },
    components,
  };
}

function record(value: unknown): Json {
  return (value ?? {}) as Json;
}

function list(value: unknown): readonly unknown[] {
  return (value ?? []) as readonly unknown[];
}
