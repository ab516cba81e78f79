import type { jsonTreeEn } from './json-tree-en.ts';

export const jsonTreeDe: typeof jsonTreeEn = {
  members: (count) => (count === 1 ? '1 Eintrag' : `${count} Einträge`),
  more: (count) => `${count} weitere zeigen`,
  wholeText: (count) => `Alle ${count} Zeichen zeigen`,
};
