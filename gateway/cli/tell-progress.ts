import type { Terminal } from './terminal.ts';

/** A line a second about long work, and one at its end. */
export function tellProgress(terminal: Terminal, what: string): (done: number, total: number) => void {
  const started = performance.now();
  let told = 0;
  return (done, total) => {
    const seconds = (performance.now() - started) / 1000;
    if (seconds - told < 1 && done < total) return;
    told = seconds;
    const rate = Math.round(done / seconds);
    terminal.progress(`${done} of ${total} ${what}, ${rate} a second, ${seconds.toFixed(0)} s`);
  };
}
