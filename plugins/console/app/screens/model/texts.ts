import { modelDe } from '../../messages/model-de.ts';
import { type ModelMessages, modelEn } from '../../messages/model-en.ts';
import { language } from '../../preferences.ts';

/** The texts of these screens in the chosen language. */
export const texts = (): ModelMessages => (language.value === 'de' ? modelDe : modelEn);
