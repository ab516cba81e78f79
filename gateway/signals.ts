import { isatty } from 'node:tty';

export interface Signals {
  /**
   * Resolves on the first SIGTERM or SIGINT, after which the service drains. A second one ends the process at once.
   */
  readonly stop: Promise<NodeJS.Signals>;
  /** SIGHUP: read the configuration again. One that came before this call runs `reload` at once: the files may have changed. */
  onReload(reload: () => void): void;
}

const STANDARD_INPUT = 0;
/**
 * Signals closer than this are one: Ctrl-C under `npm start` comes twice, from the terminal and from npm, which passes
 * it on.
 */
const ONE_SIGNAL_MS = 250;

/**
 * Calls `stop` on the first SIGTERM or SIGINT; a second one ends the process at once.
 * @returns `end`, to be called where another signal means the same, and `close`, which stops listening
 */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void) {
  let stoppedAt: number | undefined;
  const end = (signal: NodeJS.Signals) => {
    if (stoppedAt !== undefined && performance.now() - stoppedAt >= ONE_SIGNAL_MS) process.exit(1);
    if (stoppedAt !== undefined) return;
    stoppedAt = performance.now();
    stop(signal);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  const close = () => {
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
  };
  return { end, close };
}

/**
 * Listens from now on. SIGHUP means reload, unless the system sends it because the terminal of the process was
 * closed: then it means stop. Standard input is no terminal any more in that case.
 */
export function listenForSignals(): Signals {
  const startedInTerminal = isatty(STANDARD_INPUT);
  let isReloadDue = false;
  let reload = () => {
    isReloadDue = true;
  };
  const stop = new Promise<NodeJS.Signals>((resolve) => {
    const { end } = onStopSignal(resolve);
    process.on('SIGHUP', () => {
      if (startedInTerminal && !isatty(STANDARD_INPUT)) end('SIGHUP');
      else reload();
    });
  });
  return {
    stop,
    onReload(act) {
      reload = act;
      if (isReloadDue) act();
    },
  };
}
