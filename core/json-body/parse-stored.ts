import { readAll } from './read-json.ts';

/** Longer texts are read in pieces; shorter ones take `JSON.parse` a fraction of a millisecond. */
const PIECE = 65_536;

/** What `JSON.parse` gives for a text of the store. Others have their turn while a large one is read. */
export async function parseStored<Value>(text: string): Promise<Value> {
  if (text.length <= PIECE) return JSON.parse(text);
  const reader = await readAll(text, undefined, Number.POSITIVE_INFINITY);
  // The rules for bodies are not those of the store.
  return reader.isBroken || reader.breach ? JSON.parse(text) : (reader.value as Value);
}
