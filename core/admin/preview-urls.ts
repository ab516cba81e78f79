import { z } from 'zod';
import {
  framedOrigins,
  listPreviewUrls,
  MOST_URLS,
  PLACEHOLDERS,
  type PreviewUrl,
  replacePreviewUrls,
  URL_LIMIT,
} from '../content/preview-urls.ts';
import { arrayOf, closed, id, orNull, schema, text } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { WHOLE } from '../http/route.ts';
import { ok } from './call.ts';
import { routesOf, shows } from './route.ts';

const REFERENCE = z.strictObject({ id: z.guid() });
const URLS = z.strictObject({
  preview_urls: z
    .array(
      z.strictObject({
        type: REFERENCE.nullable().describe('A content type; null = all of them.'),
        language: REFERENCE.nullable().describe('A language; null = all of them.'),
        url: z
          .string()
          .max(URL_LIMIT)
          .describe(
            `URL with the placeholders {${PLACEHOLDERS.join('}, {')}} behind the host: \`https://example.org/{Lang}/{URLslug}\`.`,
          ),
      }),
    )
    .max(MOST_URLS)
    .describe('For an item that several fit, one of its type counts before one of its language.'),
});

const route = routesOf({ read: 'view-content', write: 'manage-project' });

export const previewUrlRoutes = [
  route('GET projects/:project/preview-urls', {
    id: 'getPreviewUrls',
    tagged: WHOLE,
    summary: 'Read where the site shows drafts',
    answers: shows('AdminPreviewUrls'),
    handler: async ({ operations, at }) => ok(toJson(await operations.read(at('project'), listPreviewUrls))),
  }),
  route('PUT projects/:project/preview-urls', {
    id: 'replacePreviewUrls',
    summary: 'Replace where the site shows drafts',
    body: bodyOf(URLS),
    answers: shows('AdminPreviewUrls'),
    handler: async ({ operations, at, body }) => {
      const { preview_urls } = await body(URLS);
      const idOf = (reference: { readonly id: string } | null) => reference?.id.toLowerCase() ?? null;
      const urls = preview_urls.map(({ type, language, url }) => ({
        type: idOf(type),
        language: idOf(language),
        url,
      }));
      return ok(
        toJson(
          await operations.inProject(at('project'), null, (transaction) =>
            replacePreviewUrls(transaction, urls),
          ),
        ),
      );
    },
  }),
  route('GET projects/:project/framed-origins', {
    id: 'listFramedOrigins',
    summary: 'List the origins of the pages that the console frames: preview URLs and custom elements',
    answers: shows('AdminFramedOrigins'),
    handler: async ({ operations, at }) =>
      ok({ origins: await operations.read(at('project'), framedOrigins) }),
  }),
];

function toJson(urls: readonly PreviewUrl[]) {
  const reference = (given: string | null) => (given === null ? null : { id: given });
  return {
    preview_urls: urls.map(({ type, language, url }) => ({
      type: reference(type),
      language: reference(language),
      url,
    })),
  };
}

const referenceTo = (what: string) => orNull(closed({ id: id('Id.') }, `A ${what}; null = all of them.`));

export const previewUrlSchemas = {
  AdminPreviewUrl: closed(
    {
      type: referenceTo('content type'),
      language: referenceTo('language'),
      url: text('URL with placeholders.'),
    },
    'Where the site shows the draft of an item.',
  ),
  AdminPreviewUrls: closed(
    { preview_urls: arrayOf(schema('AdminPreviewUrl'), 'In their order.') },
    'Where the site shows drafts.',
  ),
  AdminFramedOrigins: closed(
    { origins: arrayOf(text('An origin.'), 'Origins, each once, sorted.') },
    'Origins of the pages that the console frames.',
  ),
};
