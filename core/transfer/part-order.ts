import { shorten } from '../model/reference.ts';
import { damaged } from './archive-rows.ts';

const PARTS = ['model.json', 'assets', 'items', 'variants', 'end.json'] as const;

export type Part = (typeof PARTS)[number] | 'files';

const NAME =
  /^(?:(files)\/([0-9a-f]{64})|(assets|items|variants)\/(\d{6,9})\.ndjson|(model\.json|end\.json))$/;

/** Checks that the entries of an archive have the names and the order that an export writes. */
export class PartOrder {
  /** Index of the last part in PARTS. */
  #at = -1;
  #number = 0;
  readonly #files = new Set<string>();

  /** The last part was read. */
  get isWhole(): boolean {
    return PARTS[this.#at] === 'end.json';
  }

  /** @throws badRequest for an entry that does not belong here */
  next(name: string): Part {
    const found = NAME.exec(name);
    if (!found) throw damaged(`nothing of the name '${shorten(name)}' belongs to one`);
    if (this.isWhole) throw damaged(`'${name}' comes after its end`);
    const [, files, hash = '', rows, number, single] = found;
    if (files) {
      if (this.#files.has(hash)) throw damaged(`'${name}' occurs twice`);
      this.#files.add(hash);
      return 'files';
    }
    const part = (rows ?? single) as (typeof PARTS)[number];
    const at = PARTS.indexOf(part);
    if (at < this.#at || (at === this.#at && Number(number) <= this.#number))
      throw damaged(`'${name}' occurs twice or too late`);
    if (this.#at === -1 && part !== 'model.json') throw damaged(`'${name}' comes before the model`);
    this.#number = number === undefined ? 0 : Number(number);
    if (at === this.#at && number === undefined) throw damaged(`'${name}' occurs twice`);
    this.#at = at;
    return part;
  }
}
