import { jsonTreeDe } from './json-tree-de.ts';
import { jsonTreeEn } from './json-tree-en.ts';
import { textsOf } from './messages.ts';

export const jsonTreeTexts = textsOf(jsonTreeEn, jsonTreeDe);
