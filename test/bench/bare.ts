import type { BareBody } from './bare-server.ts';
import { type Child, startChild } from './child.ts';

export interface Bare {
  readonly port: number;
  readonly pid: number;
  end(): Promise<void>;
}

/** Starts the bare server; the first body is at `/0`, the next at `/1`, and so on. */
export async function startBare(bodies: readonly BareBody[]): Promise<Bare> {
  const child: Child<readonly BareBody[], number> = startChild('bare-server.ts');
  const port = await child.ask(bodies);
  return { port, pid: child.pid, end: () => child.end() };
}

/** Cuts bytes into `count` fragments of about the same size. */
export function cut(bytes: Uint8Array, count: number): Uint8Array[] {
  const at = (index: number) => Math.floor((bytes.length * index) / count);
  return Array.from({ length: count }, (_, index) =>
    Uint8Array.from(bytes.subarray(at(index), at(index + 1))),
  );
}
