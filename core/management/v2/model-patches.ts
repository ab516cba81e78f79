import { findTaxonomy } from '../../content/taxonomies.ts';
import { findType } from '../../content/types.ts';
import type { ModelPatches } from '../../model-impact/model-patches.ts';
import { toLanguageChange } from './languages.ts';
import { readOperations } from './patch.ts';
import { patchSnippet, snippetAt } from './snippets.ts';
import { patchTaxonomy } from './taxonomies.ts';
import { patchType } from './types.ts';

export const modelPatches: ModelPatches = {
  async apply(transaction, part, id, given) {
    const operations = readOperations(given);
    if (part === 'type') await patchType(transaction, findType(transaction, { id }), operations);
    else if (part === 'snippet')
      await patchSnippet(transaction, snippetAt(transaction, { id }, 'objectNotFound'), operations);
    else await patchTaxonomy(transaction, findTaxonomy(transaction, { id }), operations);
  },
  ofLanguage: (language, given) =>
    Object.assign({}, ...readOperations(given).map((operation) => toLanguageChange(operation, language))),
};
