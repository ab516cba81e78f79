import { textsOf } from './messages.ts';
import { newItemDe } from './new-item-de.ts';
import { newItemEn } from './new-item-en.ts';

export const newItemTexts = textsOf(newItemEn, newItemDe);
