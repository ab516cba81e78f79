import { assetsDe } from './assets-de.ts';
import { assetsEn } from './assets-en.ts';
import { textsOf } from './messages.ts';

export const assetsTexts = textsOf(assetsEn, assetsDe);
