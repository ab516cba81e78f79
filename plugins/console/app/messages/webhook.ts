import { textsOf } from './messages.ts';
import { webhookDe } from './webhook-de.ts';
import { webhookEn } from './webhook-en.ts';

export const webhookTexts = textsOf(webhookEn, webhookDe);
