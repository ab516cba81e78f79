import { textsOf } from './messages.ts';
import { previewDe } from './preview-de.ts';
import { previewEn } from './preview-en.ts';

export const previewTexts = textsOf(previewEn, previewDe);
