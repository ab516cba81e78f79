/**
 * Deadlines of five seconds and more, which are no settings, are a tenth as long from then on: those of timers in this process.
 * @returns what ends that
 */
export function shortenDeadlines(): () => void {
  const { setTimeout } = globalThis;
  const shortened = (work: () => void, milliseconds = 0) =>
    setTimeout(work, milliseconds >= 5000 ? milliseconds / 10 : milliseconds);
  globalThis.setTimeout = shortened as typeof setTimeout;
  return () => {
    globalThis.setTimeout = setTimeout;
  };
}
