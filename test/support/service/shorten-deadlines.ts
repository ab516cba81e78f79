/**
 * Deadlines of five seconds and more, which are no settings, are a tenth as long from then on: those of timers in this process.
 * @param least milliseconds of the shortest of them
 * @returns what ends that
 */
export function shortenDeadlines(least = 5000): () => void {
  const { setTimeout } = globalThis;
  const shortened = (work: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) =>
    setTimeout(work, milliseconds >= least ? milliseconds / 10 : milliseconds, ...values);
  globalThis.setTimeout = shortened as typeof setTimeout;
  return () => {
    globalThis.setTimeout = setTimeout;
  };
}
