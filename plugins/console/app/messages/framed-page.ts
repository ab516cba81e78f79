import { framedPageDe } from './framed-page-de.ts';
import { framedPageEn } from './framed-page-en.ts';
import { textsOf } from './messages.ts';

export const framedPageTexts = textsOf(framedPageEn, framedPageDe);
