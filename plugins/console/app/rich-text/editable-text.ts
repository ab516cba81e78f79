import { LARGEST } from './largest.ts';
import { NotReadable, type ReadDocument, readRichText } from './reader.ts';

/** Why a text is edited as markup: it is too large, or has a form that the editor does not know. */
export type NotEditable = 'large' | 'unknown';

/** A text to be edited where it is shown, or why it cannot be. */
export function editableText(html: string): ReadDocument | NotEditable {
  if (html.length > LARGEST) return 'large';
  try {
    return readRichText(html);
  } catch (error) {
    if (error instanceof NotReadable) return 'unknown';
    throw error;
  }
}
