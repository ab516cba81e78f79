import { matchesEntityTag, ServiceError } from '../../core/contract.ts';
import { type BasesFacet, definePlugin, type GatewayContext } from '../contract.ts';
import { escapeHtml } from '../http/escape-html.ts';
import { requireRead } from '../http/require-read.ts';
import { applyBaseUrls } from './apply-base-urls.ts';
import { gatewayOpenapi } from './gateway-openapi.ts';
import { mergeDocuments } from './merge-documents.ts';
import { etagOf, type PageFile, pageFiles } from './page-files.ts';
import { settings } from './schema.ts';

/** Describes the API: `/openapi.json` for programs, the explorer page at the root of the surface, and pages for editors and operators. */
export const plugin = definePlugin({
  name: 'docs',
  phase: 'forward',
  terminal: true,
  surfaces: ['docs'],
  settings,
  async setup({ title, explorer }, services) {
    const pages = explorer ? await pageFiles() : undefined;
    let document: ReturnType<typeof describe> | undefined;

    async function describe(): Promise<Record<string, unknown>> {
      const described = mergeDocuments(await services.core.openapi(), gatewayOpenapi());
      return { ...described, info: { ...(described['info'] as object), title } };
    }

    /** Calls core for the first request; again after an error. */
    function cachedDocument(): ReturnType<typeof describe> {
      document ??= describe().catch((error: unknown) => {
        document = undefined;
        throw error;
      });
      return document;
    }

    /** Of the last request: most have the same addresses, and the text takes 20 ms. */
    let last: { readonly bases: BasesFacet; readonly file: PageFile } | undefined;

    async function openapiFile(bases: BasesFacet): Promise<PageFile> {
      if (last?.bases !== bases) {
        const content = JSON.stringify(applyBaseUrls(await cachedDocument(), bases));
        const file = { type: 'application/json; charset=utf-8', content, etag: etagOf(content) };
        last = { bases, file };
      }
      return last.file;
    }

    return {
      handle: async function docs(ctx) {
        requireRead(ctx, 'The documentation is read with GET or HEAD.');
        const { surface, bases } = ctx.state;
        if (surface.path === '/openapi.json') {
          send(ctx, await openapiFile(bases));
          return;
        }
        const html = pages?.html.get(surface.path);
        if (html !== undefined) {
          const content = html
            .replaceAll('{{base}}', escapeHtml(new URL(bases.docs).pathname.replace(/\/$/, '')))
            .replaceAll('{{title}}', escapeHtml(title));
          ctx.set('content-security-policy', policy(bases));
          ctx.set('referrer-policy', 'no-referrer');
          send(ctx, { type: 'text/html; charset=utf-8', content, etag: etagOf(content) });
          return;
        }
        const file = pages?.files.get(surface.path);
        if (!file) throw new ServiceError('noSuchResource', 'There is no documentation at this URL.');
        send(ctx, file);
      },
    };
  },
});

function send(ctx: GatewayContext, file: PageFile): void {
  ctx.set('x-content-type-options', 'nosniff');
  ctx.set('cache-control', 'no-cache');
  ctx.set('etag', file.etag);
  ctx.status = 200;
  // Koa's `fresh` also follows the request's Cache-Control, which must not count here.
  if (matchesEntityTag(ctx.get('if-none-match'), file.etag)) {
    ctx.status = 304;
    return;
  }
  ctx.type = file.type;
  ctx.body = file.content;
}

/** Own scripts and styles only; calls go to this origin and to those of surfaces that have their own. */
function policy(bases: Readonly<Record<string, string>>): string {
  const origins = new Set(Object.values(bases).map((base) => new URL(base).origin));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    `connect-src 'self' ${[...origins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
