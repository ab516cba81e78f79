import { createHash } from 'node:crypto';
import type { BasesFacet } from '../contract.ts';
import { cookieValue } from '../http/cookie-value.ts';
import { escapeHtml } from '../http/escape-html.ts';
import type { App } from './app-files.ts';

interface Page {
  readonly bases: BasesFacet;
  readonly title: string;
  /** Bytes that an upload may have at most. */
  readonly bodyBytes: number;
  /** Id of the event after which the stream of the page begins; empty where it is not known. */
  readonly position: string;
  /** From `chosen`: what this browser keeps of a person's choices. */
  readonly choices: Readonly<Record<string, string>>;
  /** JSON: what the first calls of the application would be answered. */
  readonly answers: string | undefined;
}

/** Cookies that the application sets, without their prefix, and what they may be. */
const CHOICES = { language: /^[a-z]{2}$/, theme: /^[a-z]{1,10}$/ } as const;

/** The choices in a `Cookie` header. */
export function chosen(cookies: string | undefined): Page['choices'] {
  return Object.fromEntries(
    Object.entries(CHOICES).flatMap(([name, form]) => {
      const value = cookieValue(cookies, `headwater-${name}`);
      return value !== undefined && form.test(value) ? [[name, value]] : [];
    }),
  );
}

/** The page that loads the application; all screens have the same. */
export function renderPage(
  { early, script, imported, style, icon }: Omit<App, 'files' | 'elementScript'>,
  { bases, title, bodyBytes, position, choices, answers }: Page,
): string {
  const root = escapeHtml(new URL(bases.console).pathname.replace(/\/$/, ''));
  const { delivery, preview, manage, admin, docs } = bases;
  const apis = escapeHtml(JSON.stringify({ delivery, preview, manage, admin, docs }));
  const name = escapeHtml(title);
  const own = Object.entries(choices).map(([name, value]) => ` data-${name}="${value}"`);
  if (answers !== undefined) own.push(' data-has-answers');
  // No text of the answers ends the element.
  const data = answers?.replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en" data-base="${root}" data-title="${name}" data-body-bytes="${bodyBytes}" data-apis="${apis}" data-position="${position}"${own.join('')}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="${escapeHtml(icon)}">
<script>${early}</script>
<link rel="stylesheet" href="${root}/files/${style}">
${imported.map((name) => `<link rel="modulepreload" href="${root}/files/${name}">`).join('\n')}
<script type="module" src="${root}/files/${script}"></script>
<body><div id="app"></div><noscript>The console needs JavaScript.</noscript>${data === undefined ? '' : `<script type="application/json" id="answers">${data}</script>`}</body>
</html>
`;
}

/**
 * Own scripts and styles only, inline none but the script of the first calls, which the hash permits: as a file they
 * would wait for it. No text becomes HTML (Trusted Types). Images also come from the asset
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
