/** Runs `work` for all items, at most `count` at a time; after a failure no further item begins. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  let isFailed = false;
  const runWaiting = async () => {
    for (let next = waiting.next(); !next.done && !isFailed; next = waiting.next()) {
      await work(next.value).catch((error: unknown) => {
        isFailed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: count }, runWaiting));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
