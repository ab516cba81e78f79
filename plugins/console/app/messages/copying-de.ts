import type { copyingEn } from './copying-en.ts';

export const copyingDe: typeof copyingEn = {
  copy: 'Kopieren',
  copyOf: (what) => `Kopieren: ${what}`,
  done: 'Kopiert.',
  refused: 'Der Browser erlaubt das Kopieren nicht: Markieren Sie den Text, und drücken Sie Strg+C.',
};
