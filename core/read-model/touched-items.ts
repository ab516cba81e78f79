import { viewsOf } from '../model/model.ts';
import { USE } from '../storage/stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { type ItemState, loadItemStatesWith } from './item-state.ts';

/** Which document a view showed of an item before the transaction. */
export interface ResolvedBefore {
  readonly item: number;
  readonly view: number;
  readonly type: number;
  readonly language: number;
  readonly codename: string;
  readonly slug: string;
  readonly document: number;
  readonly version: number;
  /** 1: the project has no stale documents, and this one shows nothing that depends on the channel. */
  readonly lasting: number;
}

export interface TouchedItems {
  /** With what is archived. */
  readonly states: readonly ItemState[];
  readonly before: readonly ResolvedBefore[];
  /** Items that hyperlinks of documents point to. */
  readonly linked: ReadonlySet<number>;
}

type Shown = [
  view: number,
  type: number,
  language: number,
  codename: string,
  slug: string,
  document: number,
  version: number,
  lasting: number,
];

/** Reads everything that compiling items needs of them in one statement; more for many. */
export async function loadTouched(
  { tx, model, project }: ProjectTransaction,
  items: readonly number[],
): Promise<TouchedItems> {
  const views = tx.among('r.view', viewsOf(model));
  const shown = tx.rowsAsText(
    [
      'r.view',
      'r.type',
      'r.language',
      'r.codename',
      'd.slug',
      'd.number',
      'd.version',
      `CASE WHEN EXISTS (SELECT 1 FROM pending p WHERE p.project = ?)
        OR EXISTS (SELECT 1 FROM uses u WHERE u.document = d.number AND u.kind = ${USE.hyperlink}) THEN 0 ELSE 1 END`,
    ],
    `FROM resolved r JOIN document d ON d.number = r.document WHERE r.item = i.number AND ${views.text}`,
  );
  const more = {
    // With one of its languages: the rows of an item with many would have all of it each.
    columns: `, CASE WHEN v.language IS NULL OR v.language = (SELECT w.language FROM variant w
      WHERE w.item = i.number ORDER BY w.language LIMIT 1) THEN ${shown} END AS shown, CASE WHEN EXISTS (SELECT 1 FROM uses u
      WHERE u.kind = ${USE.hyperlink} AND u.target = i.number) THEN 1 ELSE 0 END AS linked`,
    parameters: [project.number, views.parameter],
  };
  const before = new Map<number, ResolvedBefore[]>();
  const linked = new Set<number>();
  const states = await loadItemStatesWith<{ readonly shown: string | null; readonly linked: number }>(
    tx,
    model,
    items,
    more,
    (item, row) => {
      if (row.shown === null || before.has(item)) return;
      before.set(
        item,
        (JSON.parse(row.shown) as Shown[]).map(
          ([view, type, language, codename, slug, document, version, lasting]) => ({
            item,
            view,
            type,
            language,
            codename,
            slug,
            document,
            version,
            lasting,
          }),
        ),
      );
      if (row.linked === 1) linked.add(item);
    },
  );
  return { states, before: [...before.values()].flat(), linked };
}
