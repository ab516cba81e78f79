import { isTurnLong, nextTurn } from './turn.ts';

/** Characters that are written at once; longer JSON is written in pieces. */
const PIECE = 65_536;

/** Like `JSON.stringify`, as bytes. Yields to other requests while it writes a large value. */
export async function jsonBytes(value: unknown): Promise<readonly Uint8Array[]> {
  if (weight(value, PIECE) < PIECE) return [Buffer.from(JSON.stringify(value))];
  return new Writer((text) => Buffer.from(text)).pieces(value);
}

/** The same as text. */
export async function jsonText(value: unknown): Promise<string> {
  if (weight(value, PIECE) < PIECE) return JSON.stringify(value);
  return (await new Writer((text) => text).pieces(value)).join('');
}

class Writer<Piece> {
  readonly #pieces: Piece[] = [];
  readonly #pieceOf: (text: string) => Piece;
  #text = '';

  constructor(pieceOf: (text: string) => Piece) {
    this.#pieceOf = pieceOf;
  }

  async pieces(value: unknown): Promise<readonly Piece[]> {
    await this.#write(value);
    this.#cut();
    return this.#pieces;
  }

  async #write(value: unknown): Promise<void> {
    if (isTurnLong()) await nextTurn();
    if (typeof value === 'string' && value.length > PIECE) await this.#writeLong(value);
    else if (isShort(value)) this.#add(JSON.stringify(value) ?? 'null');
    else if (Array.isArray(value)) await this.#writeArray(value);
    else await this.#writeObject(value as object);
  }

  async #writeArray(values: readonly unknown[]): Promise<void> {
    let before = '[';
    for (let at = 0; at < values.length; ) {
      this.#text += before;
      before = ',';
      let end = at;
      for (let size = 2; end < values.length; end++) {
        size += 1 + weight(values[end], PIECE - size);
        if (size >= PIECE) break;
      }
      if (end > at) this.#add(JSON.stringify(values.slice(at, end)).slice(1, -1));
      else await this.#write(values[end++]);
      at = end;
      if (isTurnLong()) await nextTurn();
    }
    this.#text += ']';
  }

  async #writeObject(value: object): Promise<void> {
    let before = '{';
    for (const [name, one] of Object.entries(value)) {
      if (one === undefined) continue;
      this.#text += `${before}${JSON.stringify(name)}:`;
      before = ',';
      await this.#write(one);
    }
    this.#text += '}';
  }

  async #writeLong(text: string): Promise<void> {
    this.#text += '"';
    for (let at = 0; at < text.length; ) {
      // A piece must not split a surrogate pair.
      const isSplit = (text.charCodeAt(at + PIECE - 1) & 0xfc00) === 0xd800;
      const end = at + PIECE - (isSplit ? 1 : 0);
      this.#text += JSON.stringify(text.slice(at, end)).slice(1, -1);
      at = end;
      this.#cut();
      if (isTurnLong()) await nextTurn();
    }
    this.#text += '"';
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE) this.#cut();
  }

  #cut(): void {
    this.#pieces.push(this.#pieceOf(this.#text));
    this.#text = '';
  }
}

/** Whether `JSON.stringify` writes the value at once. */
function isShort(value: unknown): boolean {
  return typeof value !== 'object' || value === null || 'toJSON' in value || weight(value, PIECE) < PIECE;
}

/** Approximate length as JSON; stops counting at the limit. */
function weight(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let sum = 2;
  if (Array.isArray(value)) {
    for (const member of value) {
      sum += 1 + weight(member, limit - sum);
      if (sum >= limit) return sum;
    }
    return sum;
  }
  for (const name in value) {
    sum += name.length + 4 + weight((value as Record<string, unknown>)[name], limit - sum);
    if (sum >= limit) return sum;
  }
  return sum;
}
