import { textsOf } from './messages.ts';
import { renameDe } from './rename-de.ts';
import { renameEn } from './rename-en.ts';

export const renameTexts = textsOf(renameEn, renameDe);
