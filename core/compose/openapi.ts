import { adminOpenapi } from '../admin/openapi.ts';
import { consoleOpenapi } from '../console/openapi.ts';
import { deliveryOpenapi } from '../delivery/openapi.ts';
import { assetsOpenapi } from '../files/openapi.ts';
import { managementOpenapi } from '../management/openapi.ts';

type Json = Record<string, unknown>;

const INFO = {
  title: 'Headwater',
  version: '1.0.0',
  summary: 'Content: delivery and preview for readers, management, administration, and asset files.',
  description: [
    'Read-only JSON over published content (delivery) and latest versions (preview), the files of assets with images',
    'transformed by their URL, the management of content (v2 and v1), and the administration of the service.',
    '',
    'Every GET has a HEAD. Unknown query parameters of delivery and preview are ignored. Bodies are compressed when the',
    'client accepts it. A client that got an `ETag` of delivery, preview or a file may send it as `If-None-Match` and gets',
    '304 while nothing changed; those of management and administration are for `If-Match` and `If-None-Match` of writes.',
  ].join('\n'),
  license: { name: 'MIT', identifier: 'MIT' },
};

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
  const document = [assetsOpenapi(), managementOpenapi(), adminOpenapi(), consoleOpenapi()].reduce(
    add,
    deliveryOpenapi(vendor),
  );
  return { ...document, info: INFO };
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
