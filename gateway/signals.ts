import { isatty } from 'node:tty';

export interface Signals {
  /**
   * Resolves on the first SIGTERM or SIGINT, when the service is to drain. A second one ends the process at once:
   * who asks twice does not want to wait.
   */
  readonly stop: Promise<NodeJS.Signals>;
  /** SIGHUP: read the configuration again. One that comes earlier is of no use: what it means is being read. */
  onReload(reload: () => void): void;
}

const STANDARD_INPUT = 0;
/**
 * Signals closer than this are one. Ctrl-C under `npm start` comes twice: from the terminal, and from npm, which had it
 * from the terminal as well and passes it on. Nobody who asks twice is that fast.
 */
const ONE_SIGNAL_MS = 250;

/**
 * Listens from now on. SIGHUP has two meanings: sent by somebody it asks for a reload, sent by the system to what
 * ran in a terminal that was closed it means the end. The terminal being gone tells them apart.
 */
export function listenForSignals(exit: (code: number) => void = process.exit): Signals {
  const startedInTerminal = isatty(STANDARD_INPUT);
  let reload = () => {};
  let asked: number | undefined;
  const stop = new Promise<NodeJS.Signals>((resolve) => {
    const end = (signal: NodeJS.Signals) => {
      if (asked !== undefined && performance.now() - asked >= ONE_SIGNAL_MS) exit(1);
      asked ??= performance.now();
      resolve(signal);
    };
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
    process.on('SIGHUP', () => {
      if (startedInTerminal && !isatty(STANDARD_INPUT)) end('SIGHUP');
      else reload();
    });
  });
  return {
    stop,
    onReload(act) {
      reload = act;
    },
  };
}
