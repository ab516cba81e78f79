import { textsOf } from './messages.ts';
import { signOutDe } from './sign-out-de.ts';
import { signOutEn } from './sign-out-en.ts';

export const signOutTexts = textsOf(signOutEn, signOutDe);
