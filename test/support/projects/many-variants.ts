import { createItems } from '../../../core/content/items.ts';
import { createLanguage } from '../../../core/content/languages.ts';
import { createType } from '../../../core/content/types.ts';
import type { Workbench } from '../service/workbench.ts';

/** Items with an empty variant in each of many languages. */
export async function writeManyVariants(
  bench: Workbench,
  { languages: count, items: total }: { readonly languages: number; readonly items: number },
): Promise<void> {
  const languages = await bench.run(async (transaction) => {
    for (let index = 1; index < count; index++)
      await createLanguage(transaction, { name: `Language ${index}`, codename: `l-${index}` });
    await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] });
    return transaction.tx.all<{ number: number }>('SELECT number FROM language');
  });
  await bench.run((transaction) =>
    createItems(
      transaction,
      Array.from({ length: total }, (_, index) => ({ name: `Item ${index}`, type: { codename: 'note' } })),
    ),
  );
  const items = await bench.sql.all<{ number: number }>('SELECT number FROM item');
  const variants = items.flatMap((item) => languages.map((language) => [item.number, language.number]));
  await bench.storage.write((tx) =>
    tx.insert(
      'variant',
      ['number', 'item', 'language', 'was_published', 'last_modified'],
      variants.map((variant, index) => [index + 1, ...variant, 0, tx.now]),
    ),
  );
}
