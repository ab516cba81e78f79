import type { Omission } from '../../../plugins/console/app/rich-text/paste/clean-html.ts';

/** What a program puts into the clipboard, and what of it rich text holds. */
export interface Clipboard {
  /** Program, and what was copied. */
  readonly name: string;
  readonly html?: string;
  /** Of programs that write no HTML. */
  readonly text?: string;
  /** What is pasted; an image whose bytes are in the clipboard has the asset `pending:0`. */
  readonly stored: string;
  readonly omitted?: readonly Omission[];
}
