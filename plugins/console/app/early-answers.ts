/** Answers that were asked for before the application was loaded. */

interface EarlyAnswer {
  readonly answer: Promise<Response>;
  abort(): void;
}

declare global {
  /** By the path of the call; each is taken once. */
  var earlyAnswers: Map<string, EarlyAnswer> | undefined;
}

/** How the application calls the server. */
export const OWN_CALL = { credentials: 'same-origin', headers: { 'x-headwater-console': '1' } } as const;

/** How long answers wait to be taken, in milliseconds: later ones may be out of date. */
const KEPT = 10_000;

/** @param paths calls below `url`; the answer of the first one shows whether the others are permitted */
export function askEarly(url: string, paths: readonly string[]): void {
  const answers = new Map<string, EarlyAnswer>();
  globalThis.earlyAnswers = answers;
  setTimeout(() => answers.clear(), KEPT);
  for (const path of paths) {
    const controller = new AbortController();
    const answer = fetch(`${url}/${path}`, { ...OWN_CALL, signal: controller.signal });
    answers.set(path, { answer, abort: () => controller.abort() });
    answer.then(
      ({ ok }) => {
        if (!ok && path === paths[0]) answers.clear();
      },
      // The call that takes it reports the error.
      () => undefined,
    );
  }
}

export function takeEarlyAnswer(path: string, signal: AbortSignal): Promise<Response> | undefined {
  const early = globalThis.earlyAnswers?.get(path);
  if (!early) return undefined;
  globalThis.earlyAnswers?.delete(path);
  if (signal.aborted) early.abort();
  signal.addEventListener('abort', early.abort, { once: true });
  return early.answer;
}
