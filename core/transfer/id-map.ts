import { idOfExternalId } from '../model/external-id.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

const GUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const GUID_LENGTH = 36;

/** Characters that are searched at once: 0.3 ms. */
const PIECE = 65_536;

/**
 * Maps ids of the archive to ids of the imported project. They differ only for objects with an external id in a
 * project with another id: their ids are made from both.
 */
export class IdMap {
  /** Id of the exported project. */
  readonly archived: string;
  readonly #project: string;
  readonly #same: boolean;
  readonly #ids = new Map<string, string>();

  constructor(archived: string, project: string) {
    this.archived = archived;
    this.#project = project;
    this.#same = archived === project;
  }

  /** The id that an item or asset gets. */
  idFor(kind: 'item' | 'asset', id: string, externalId: string | null): string {
    return this.#same || externalId === null ? id : idOfExternalId(this.#project, kind, externalId);
  }

  /** The same; from now on references to the archive's id lead to it. */
  assign(kind: 'item' | 'asset', id: string, externalId: string | null): string {
    const assigned = this.idFor(kind, id, externalId);
    if (assigned !== id) this.#ids.set(id, assigned);
    return assigned;
  }

  of(id: string): string {
    return this.#ids.get(id) ?? id;
  }

  /** Replaces ids anywhere in a text; nothing else looks like a GUID. */
  async replaceIn(text: string): Promise<string> {
    if (this.#ids.size === 0) return text;
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      if (isTurnLong()) await nextTurn();
      // An id that begins in the piece is in it as a whole.
      const piece = text.slice(at, at + PIECE + GUID_LENGTH - 1);
      let end = PIECE;
      const replaced = piece.replace(GUID, (id, offset: number) => {
        end = Math.max(end, offset + GUID_LENGTH);
        return this.#ids.get(id) ?? id;
      });
      pieces.push(replaced.slice(0, end));
      at += end;
    }
    return pieces.join('');
  }
}
