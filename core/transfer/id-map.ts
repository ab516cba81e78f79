import { idOfExternalId } from '../model/external-id.ts';

const GUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Ids of the archive to ids of the project it is imported as. They are the same but for what has an external id
 * where the project's id differs: those are made from both.
 */
export class IdMap {
  /** Id of the project that the archive was made of. */
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
  made(kind: 'item' | 'asset', id: string, externalId: string | null): string {
    return this.#same || externalId === null ? id : idOfExternalId(this.#project, kind, externalId);
  }

  /** The same, and from now on it stands for the one in the archive. */
  give(kind: 'item' | 'asset', id: string, externalId: string | null): string {
    const given = this.made(kind, id, externalId);
    if (given !== id) this.#ids.set(id, given);
    return given;
  }

  of(id: string): string {
    return this.#ids.get(id) ?? id;
  }

  /** The same text with the ids that things have now; ids are unlike anything else in a text. */
  in(text: string): string {
    return this.#ids.size === 0 ? text : text.replace(GUID, (id) => this.#ids.get(id) ?? id);
  }
}
