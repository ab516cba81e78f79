import { apiCallDe } from './api-call-de.ts';
import { apiCallEn } from './api-call-en.ts';
import { textsOf } from './messages.ts';

export const apiCallTexts = textsOf(apiCallEn, apiCallDe);
