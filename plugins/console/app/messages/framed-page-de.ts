import type { framedPageEn } from './framed-page-en.ts';

export const framedPageDe: typeof framedPageEn = {
  stopped: 'Diese Seite hat zu viele Nachrichten gesendet und wurde angehalten.',
  again: 'Erneut laden',
};
