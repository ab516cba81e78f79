import type { BasesFacet } from '../contract.ts';
import type { App } from './app-files.ts';

/** The page that loads the application; all screens have the same. */
export function renderPage(
  { script, style }: Pick<App, 'script' | 'style'>,
  { base, title }: { readonly base: string; readonly title: string },
): string {
  const root = escapeHtml(base.replace(/\/$/, ''));
  const name = escapeHtml(title);
  return `<!doctype html>
<html lang="en" data-base="${root}" data-title="${name}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/files/${style}">
<script type="module" src="${root}/files/${script}"></script>
<body><div id="app"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
}

/** Own scripts and styles only, none inline; no text becomes HTML (Trusted Types). Pictures also come from the asset surface. */
export function contentSecurityPolicy(bases: BasesFacet): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${new URL(bases.assets).origin}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
