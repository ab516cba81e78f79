import { copyingDe } from './copying-de.ts';
import { copyingEn } from './copying-en.ts';
import { textsOf } from './messages.ts';

export const copyingTexts = textsOf(copyingEn, copyingDe);
