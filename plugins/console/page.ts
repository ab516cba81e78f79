import { createHash } from 'node:crypto';
import type { BasesFacet } from '../contract.ts';
import type { App } from './app-files.ts';

interface Page {
  readonly bases: BasesFacet;
  readonly title: string;
  /** Bytes that an upload may have at most. */
  readonly bodyBytes: number;
  /** Id of the event after which the stream of the page begins; empty where it is not known. */
  readonly position: string;
}

/** The page that loads the application; all screens have the same. */
export function renderPage(
  { early, script, imported, style }: Omit<App, 'files' | 'elementScript'>,
  { bases, title, bodyBytes, position }: Page,
): string {
  const root = escapeHtml(new URL(bases.console).pathname.replace(/\/$/, ''));
  const { delivery, preview, manage, admin, docs } = bases;
  const apis = escapeHtml(JSON.stringify({ delivery, preview, manage, admin, docs }));
  const name = escapeHtml(title);
  return `<!doctype html>
<html lang="en" data-base="${root}" data-title="${name}" data-body-bytes="${bodyBytes}" data-apis="${apis}" data-position="${position}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="data:,">
<script>${early}</script>
<link rel="stylesheet" href="${root}/files/${style}">
${imported.map((name) => `<link rel="modulepreload" href="${root}/files/${name}">`).join('\n')}
<script type="module" src="${root}/files/${script}"></script>
<body><div id="app"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
}

/**
 * Own scripts and styles only, inline none but the script of the first calls, which the hash permits: as a file they
 * would wait for it. No text becomes HTML (Trusted Types). Pictures also come from the asset
 * surface, as do bytes that are counted. Pages of other origins are framed by a page of the console: see `frame.ts`.
 */
export function contentSecurityPolicy(bases: BasesFacet, { early }: Pick<App, 'early'>): string {
  const assets = new URL(bases.assets).origin;
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(early).digest('base64')}'`,
    "style-src 'self'",
    `img-src 'self' data: blob: ${assets}`,
    `connect-src 'self' ${assets}`,
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
