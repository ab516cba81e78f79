import type { ProjectModel } from '../model/model.ts';
import type { Transaction } from '../storage/ports.ts';
import type { CommitParticipant } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type ItemState, loadItemStates } from './item-state.ts';
import { listedItem } from './listed-item.ts';
import { writeListedAssets } from './write-listed-assets.ts';

interface Listing {
  readonly tx: Transaction;
  readonly model: ProjectModel;
}

/** Writes lists and full text of assets, and of items that a transaction changed without a change for readers: a schedule, a new item. */
export const listChanged: CommitParticipant = {
  name: 'lists',
  async prepare(transaction) {
    const touched = new Set(transaction.touchedItems);
    const items = [...transaction.listedItems].filter((item) => !touched.has(item));
    if (items.length > 0) await writeListedItems(transaction, items);
    const { listedAssets, tx, model } = transaction;
    if (listedAssets.size > 0) await writeListedAssets(tx, model, [...listedAssets]);
  },
};

/** Replaces what lists and full text have of the items. */
export async function writeListedItems(listing: Listing, items: readonly number[]): Promise<void> {
  await writeListedStates(listing, items, await loadItemStates(listing.tx, listing.model, items, true));
}

/** The same. @param states those of the items that exist, with what is archived */
export async function writeListedStates(
  { tx, model }: Listing,
  items: readonly number[],
  states: readonly ItemState[],
): Promise<void> {
  const gone = new Set(items);
  for (const state of states) {
    if (isTurnLong()) await nextTurn();
    gone.delete(state.number);
    tx.list(state.number, await listedItem(model, state));
  }
  for (const item of gone) tx.list(item, { listed: [], searched: [] });
}
