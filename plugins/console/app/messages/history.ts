import { historyDe } from './history-de.ts';
import { historyEn } from './history-en.ts';
import { textsOf } from './messages.ts';

export const historyTexts = textsOf(historyEn, historyDe);
