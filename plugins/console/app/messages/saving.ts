import { textsOf } from './messages.ts';
import { savingDe } from './saving-de.ts';
import { savingEn } from './saving-en.ts';

export const savingTexts = textsOf(savingEn, savingDe);
