import { adminOpenapi } from '../admin/openapi.ts';
import { deliveryOpenapi } from '../delivery/openapi.ts';
import { managementOpenapi } from '../management/openapi.ts';

type Json = Record<string, unknown>;

/** Tags, paths and components of one surface. */
interface Part {
  readonly tags: readonly Json[];
  readonly paths: Json;
  readonly components: Readonly<Record<string, Json>>;
}

/**
 * OpenAPI 3.1 document of all surfaces, without `servers`. Paths start with `/<surface>` and have `x-surface`.
 * @param vendor see `deliveryOpenapi`
 */
export function coreOpenapi(vendor: { header: string; mediaType: string }): Json {
  return [managementOpenapi(), adminOpenapi()].reduce(add, deliveryOpenapi(vendor));
}

function add(document: Json, part: Part): Json {
  const components = { ...(document['components'] as Record<string, Json>) };
  for (const [kind, entries] of Object.entries(part.components))
    components[kind] = { ...components[kind], ...entries };
  return {
    ...document,
    tags: [...(document['tags'] as readonly Json[]), ...part.tags],
    paths: { ...(document['paths'] as Json), ...part.paths },
    components,
  };
}
