import { WORKFLOW, workflowStepOf } from '../../content/workflow.ts';
import type { Language, ProjectModel } from '../../model/model.ts';
import type { Transaction } from '../../storage/ports.ts';
import { inPieces } from '../../turns/in-pieces.ts';
import type { AffectedItem, MovedItem } from '../message.ts';

interface VariantRow {
  readonly number: number;
  readonly id: string;
  readonly codename: string;
  readonly type: number;
  readonly language: number | null;
  readonly draft: number | null;
  readonly published: number | null;
  readonly archived: string | null;
}

/** Variants of the changed items in active languages at the end of the transaction, archived ones included. */
export class PublishedVariants {
  readonly #rows: ReadonlyMap<string, readonly VariantRow[]>;
  readonly #model: ProjectModel;

  constructor(model: ProjectModel, rows: readonly VariantRow[]) {
    const byItem = new Map<string, VariantRow[]>();
    for (const row of rows) {
      const list = byItem.get(row.id);
      if (list) list.push(row);
      else byItem.set(row.id, [row]);
    }
    this.#model = model;
    this.#rows = byItem;
  }

  numberOf(item: string): number | undefined {
    return this.#rows.get(item)?.[0]?.number;
  }

  /** The published languages of the item, whether or not the item is archived. */
  ofItem(item: string): AffectedItem[] {
    return (this.#rows.get(item) ?? []).flatMap((row) =>
      row.published !== null && row.archived === null ? (this.#affected(row) ?? []) : [],
    );
  }

  /** @param wasPublic only if it has a published version, archived or not */
  variant(item: string, language: string, wasPublic: boolean): AffectedItem | undefined {
    const number = this.#model.languageById.get(language)?.number;
    const row = this.#rows.get(item)?.find((one) => one.language === number);
    return row && (!wasPublic || row.published !== null) ? this.#affected(row) : undefined;
  }

  /**
   * Variants that the archiving or restoring of their item moved.
   * @param scheduled languages whose variants were scheduled before
   */
  movesOf(item: string, isArchived: boolean, scheduled?: ReadonlySet<number>): MovedItem[] {
    return (this.#rows.get(item) ?? []).flatMap(({ language: number, draft, archived }) => {
      const language = this.#activeLanguage(number);
      if (!language || archived !== null) return [];
      const { id: step } = scheduled?.has(language.number)
        ? WORKFLOW.scheduled
        : workflowStepOf({ draft, scheduledTo: null });
      const [from, to] = isArchived ? [step, WORKFLOW.archived.id] : [WORKFLOW.archived.id, step];
      return [{ item, language: language.id, from, to }];
    });
  }

  #affected({ id, codename, type, language: number }: VariantRow): AffectedItem | undefined {
    const language = this.#activeLanguage(number);
    const typeCodename = this.#model.typeByNumber.get(type)?.codename;
    if (!language || typeCodename === undefined) return undefined;
    return { id, codename, language: language.codename, type: typeCodename };
  }

  /** @param number null for an item without variants */
  #activeLanguage(number: number | null): Language | undefined {
    const language = number === null ? undefined : this.#model.languageByNumber.get(number);
    return language?.isActive ? language : undefined;
  }
}

export async function loadPublishedVariants(
  tx: Transaction,
  model: ProjectModel,
  items: readonly string[],
): Promise<PublishedVariants> {
  const rows = await inPieces(new Set(items), (some) => {
    const among = tx.among('i.id', some);
    return tx.all<VariantRow>(
      `SELECT i.number AS number, i.id AS id, i.codename AS codename, i.type AS type, v.language AS language,
         v.draft AS draft, v.published AS published, v.archived AS archived
       FROM item i LEFT JOIN variant v ON v.item = i.number
       WHERE i.project = ? AND ${among.text} AND i.type IS NOT NULL ORDER BY i.number, v.language`,
      [model.project.number, among.parameter],
    );
  });
  return new PublishedVariants(model, rows);
}
