import { isTurnLong, nextTurn } from '../turns/turn.ts';

/** Characters that are encoded at once. */
const PIECE = 262_144;

/** The bytes of the texts with a comma between each two; nothing for no texts. */
export async function textBytes(texts: readonly string[]): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  let piece = '';
  for (const [index, text] of texts.entries()) {
    piece += index === 0 ? text : `,${text}`;
    if (piece.length < PIECE && index < texts.length - 1) continue;
    if (isTurnLong()) await nextTurn();
    pieces.push(Buffer.from(piece));
    piece = '';
  }
  return pieces;
}
