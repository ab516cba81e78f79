import { CHANNEL_BIT, CHANNELS, fallbackChain, fallsBackTo, type Language, viewOf } from '../model/model.ts';
import { countBlocks } from '../storage/resolved-blocks.ts';
import { USE } from '../storage/stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { markStale } from './mark-stale.ts';

/**
 * Rebuilds what the views of a language show after it was added, activated or deactivated, or got another fallback, and the
 * views of languages that fall back to it. Reads documents only for a language that is activated again.
 */
export async function rebuildResolved(
  transaction: ProjectTransaction,
  changed: Language,
  isActivated: boolean,
): Promise<void> {
  const { tx, model } = transaction;
  // Too many for this transaction: a job lists them in the language.
  tx.listAgain(transaction.project.number);
  const dependents = model.languages.filter(
    (language) => language !== changed && fallsBackTo(model, language, changed),
  );
  const linked = await tx.get(
    `SELECT 1 AS found FROM uses u JOIN document d ON d.number = u.document WHERE u.kind = ? AND d.project = ? LIMIT 1`,
    [USE.hyperlink, transaction.project.number],
  );
  // The language itself first: the views of the rest are built from its rows.
  for (const language of [changed, ...dependents]) {
    for (const channel of CHANNELS) {
      const view = viewOf(language, channel);
      await tx.run('DELETE FROM resolved WHERE view = ? AND (language <> ? OR ? = 0)', [
        view,
        language.number,
        language.isActive ? 1 : 0,
      ]);
      if (language === changed && isActivated)
        await tx.run(
          `INSERT INTO resolved (view, item, document, type, language, codename)
           SELECT ?, d.item, d.number, d.type, d.language, i.codename FROM document d JOIN item i ON i.number = d.item
           WHERE d.language = ? AND d.visible & ? <> 0`,
          [view, language.number, CHANNEL_BIT[channel]],
        );
      const sources = language.isActive ? fallbackChain(model, language).slice(1) : [];
      for (const source of sources)
        await tx.run(
          `INSERT INTO resolved (view, item, document, type, language, codename)
           SELECT ?, s.item, s.document, s.type, s.language, s.codename FROM resolved s
           WHERE s.view = ? AND s.language = ?
             AND NOT EXISTS (SELECT 1 FROM resolved r WHERE r.view = ? AND r.item = s.item)`,
          [view, viewOf(source, channel), source.number, view],
        );
      await tx.run('DELETE FROM tally WHERE view = ?', [view]);
      await tx.run(
        `INSERT INTO tally (view, type, language, count)
         SELECT view, type, language, count(*) FROM resolved WHERE view = ? GROUP BY view, type, language`,
        [view],
      );
      await countBlocks(tx, view);
    }
    // Hyperlinks show the slug of the language the reader would get.
    if (linked) await markStale(transaction, 'language', language.number);
  }
}
