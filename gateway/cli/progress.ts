import type { Call } from './command.ts';

export interface LongWork {
  /** Prints a line a second, and one at the end. */
  readonly progress: (done: number, total: number) => void;
  /** Says that the database writes its indexes, which takes a minute for a million items. */
  readonly indexing: () => void;
  readonly signal: AbortSignal | undefined;
}

/** How long work of a command reports and is canceled. */
export function longWork(call: Call, unit: string): LongWork {
  const indexing = () => call.terminal.progress('writing the indexes of the database');
  return { progress: progressLines(call, unit), indexing, signal: call.cancellation?.() };
}

export function progressLines({ terminal }: Call, unit: string): LongWork['progress'] {
  const started = performance.now();
  let printed = 0;
  return (done, total) => {
    const seconds = (performance.now() - started) / 1000;
    if (seconds - printed < 1 && done < total) return;
    printed = seconds;
    const rate = Math.round(done / seconds);
    terminal.progress(`${done} of ${total} ${unit}, ${rate} a second, ${seconds.toFixed(0)} s`);
  };
}
