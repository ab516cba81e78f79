import { textsOf } from './messages.ts';
import { modelDe } from './model-de.ts';
import { modelEn } from './model-en.ts';

export const modelTexts = textsOf(modelEn, modelDe);
