import type { ApiBases } from './api-snippets.ts';

/** Base URLs of the APIs, which the page has from the server. */
export function apiBases(): ApiBases {
  return JSON.parse(document.documentElement.dataset['apis'] ?? '{}') as ApiBases;
}
