/** What a process reports of its parts. */
export interface HealthReport {
  readonly ok: boolean;
  readonly parts: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
}

/** `/live`: the process runs. `/ready`: it can serve. `/`: each part in detail. */
export type HealthPath = '/live' | '/ready' | '/';

/** The answer of every process to a probe; 503 while it cannot serve. */
export async function healthAnswer(
  path: HealthPath,
  report: () => Promise<HealthReport>,
): Promise<{ readonly status: 200 | 503; readonly body: object }> {
  if (path === '/live') return { status: 200, body: { status: 'ok' } };
  const { ok, parts } = await report();
  const status = ok ? 'ok' : 'unavailable';
  return { status: ok ? 200 : 503, body: path === '/ready' ? { status } : { status, parts } };
}

/** Reads once in so many milliseconds: probes need no secret, so many of them must not be work. */
export function remembered<Value>(
  read: () => Promise<Value>,
  milliseconds: number,
  now: () => number = () => performance.now(),
): () => Promise<Value> {
  let last: Promise<Value> | undefined;
  let at = 0;
  return () => {
    const time = now();
    if (last === undefined || time - at >= milliseconds) {
      last = read();
      at = time;
    }
    return last;
  };
}
