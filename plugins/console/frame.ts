import { createHash } from 'node:crypto';
import { ServiceError } from '../../core/contract.ts';
import type { GatewayContext, PluginServices } from '../contract.ts';
import { escapeHtml } from '../http/escape-html.ts';
import { readFromCore } from './read-from-core.ts';
import { requireSession } from './require-session.ts';

const STYLE = 'html,body,iframe{block-size:100%;inline-size:100%;margin:0;border:0;display:block}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Characters of the origins in the policy; a project may have more, of many custom elements. */
const ORIGINS_LENGTH = 4000;

/**
 * A page around one page of another origin: a preview, or a custom element. Its content security policy permits the
 * configured origins of the project only, so that the framed page cannot go elsewhere; the console itself frames
 * nothing but this page.
 * @throws unauthorized, forbidden; noSuchResource where the origin is not configured
 */
export async function serveFrame(
  ctx: GatewayContext,
  services: Pick<PluginServices, 'core' | 'ids'>,
): Promise<void> {
  const { surface, bases } = ctx.state;
  const principal = requireSession(ctx);
  const [, , project = ''] = surface.path.split('/');
  const url = new URLSearchParams(surface.query).get('url') ?? '';
  const path = `/projects/${encodeURIComponent(project)}/framed-origins`;
  const { origins } = await readFromCore<{ readonly origins: readonly string[] }>(
    services,
    'admin',
    path,
    principal,
  );
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  if (!origins.includes(origin))
    throw new ServiceError('noSuchResource', 'The origin of this page is not configured in the project.');
  // With the console's own origin the framed page could reach it.
  const sandbox = `allow-scripts allow-forms${origin === new URL(bases.console).origin ? '' : ' allow-same-origin'}`;
  ctx.set(
    'content-security-policy',
    [
      "default-src 'none'",
      `style-src 'sha256-${STYLE_HASH}'`,
      `frame-src ${framed(origin, origins)}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
  );
  ctx.set('referrer-policy', 'no-referrer');
  ctx.set('x-content-type-options', 'nosniff');
  ctx.set('cache-control', 'no-store');
  ctx.type = 'text/html; charset=utf-8';
  const source = escapeHtml(url);
  ctx.body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${source}</title><style>${STYLE}</style>
<iframe src="${source}" title="${source}" sandbox="${sandbox}"></iframe></html>
`;
}

/** The origin of the page, and others of the project as far as they fit: the page may lead to them. */
function framed(origin: string, origins: readonly string[]): string {
  let length = origin.length;
  const fitting = origins.filter((one) => {
    if (one === origin) return true;
    if (length + one.length >= ORIGINS_LENGTH) return false;
    length += one.length + 1;
    return true;
  });
  return fitting.join(' ');
}
