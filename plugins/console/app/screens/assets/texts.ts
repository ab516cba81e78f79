import { assetsDe } from '../../messages/assets-de.ts';
import { type AssetTexts, assetsEn } from '../../messages/assets-en.ts';
import { language } from '../../preferences.ts';

/** The texts of the screens of assets in the chosen language. */
export const texts = (): AssetTexts => (language.value === 'de' ? assetsDe : assetsEn);
