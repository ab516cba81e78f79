/** Answers that are there, or asked for, before what reads them was loaded. */

interface EarlyAnswer {
  readonly response: Promise<Response>;
  /** Is read when it comes, so that what takes it later has it at once. */
  readonly text: Promise<string>;
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

/** Whether the server has put the answers to the first calls into the page. */
export function hasAnswers(): boolean {
  return 'hasAnswers' in document.documentElement.dataset;
}

let inPage: Map<string, unknown> | undefined;

/** An answer that is in the page; each is taken once. */
export function takeAnswerInPage(path: string): { readonly value: unknown } | undefined {
  if (inPage === undefined) {
    const element = document.getElementById('answers');
    inPage = new Map(Object.entries(JSON.parse(element?.textContent ?? '{}')));
    element?.remove();
  }
  // Since the page was asked for.
  if (performance.now() > KEPT) inPage.clear();
  if (!inPage.has(path)) return undefined;
  const value = inPage.get(path);
  inPage.delete(path);
  return { value };
}

/** Asks for what a screen is going to read. @param paths calls below `url` */
export function askEarly(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = OWN_CALL.headers,
): void {
  globalThis.earlyAnswers ??= new Map();
  const answers = globalThis.earlyAnswers;
  for (const path of paths) {
    if (answers.has(path)) continue;
    const controller = new AbortController();
    const response = fetch(`${url}/${path}`, { ...OWN_CALL, headers, signal: controller.signal });
    const text = response.then((answered) => answered.text());
    // The call that takes it reports the error.
    text.catch(() => undefined);
    const early = { response, text, abort: () => controller.abort() };
    answers.set(path, early);
    setTimeout(() => {
      if (answers.get(path) === early) answers.delete(path);
    }, KEPT);
  }
}

/** Nothing is taken where the session is refused: what was asked for with it is not permitted either. */
export function dropEarlyWithoutSession(): void {
  globalThis.earlyAnswers?.get('session')?.response.then(
    ({ ok }) => {
      if (!ok) globalThis.earlyAnswers?.clear();
    },
    () => undefined,
  );
}

/** Resolves when all that was asked for is there, or failed. */
export async function earlyAnswersRead(): Promise<void> {
  await Promise.allSettled([...(globalThis.earlyAnswers?.values() ?? [])].map(({ text }) => text));
}

export function takeEarlyAnswer(path: string, signal: AbortSignal): EarlyAnswer | undefined {
  const early = globalThis.earlyAnswers?.get(path);
  if (!early) return undefined;
  globalThis.earlyAnswers?.delete(path);
  if (signal.aborted) early.abort();
  signal.addEventListener('abort', early.abort, { once: true });
  return early;
}
