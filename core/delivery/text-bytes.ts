import { isTurnLong, nextTurn } from '../turns/turn.ts';

/** Characters that are made bytes at once. */
const PIECE = 262_144;

/** The bytes of the texts, one behind the other. Others have their turn while there are many. */
export async function textBytes(texts: readonly string[]): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let text = '';
  for (const one of texts) {
    text += one;
    if (text.length < PIECE) continue;
    if (isTurnLong()) await nextTurn();
    pieces.push(Buffer.from(text));
    text = '';
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

/** With a comma between each two. */
export function separated(texts: readonly string[]): string[] {
  return texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
}
