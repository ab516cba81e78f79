import { itemDe } from './item-de.ts';
import { itemEn } from './item-en.ts';
import { textsOf } from './messages.ts';

export const itemTexts = textsOf(itemEn, itemDe);
