import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import type { Ended } from './run-headwater.ts';

/** Settings with which `doctor` starts no process that makes an image: there is no worker at the address. */
export const WITHOUT_IMAGE = [
  '--set=workers.remote=127.0.0.1:1',
  '--set=workers.token=a-secret-of-workers-0123456789-0123456789',
] as const;

/** A `serve` that is expected to fail: this process keeps its own handlers of signals. */
const NO_SIGNALS = { stop: new Promise<never>(() => {}), onReload() {} };

/** Runs a command line in this process, with the settings of `environment` alone. */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder = process.cwd(),
): Promise<Ended> {
  const { terminal, printed } = captured();
  // As in the program, where commands import core when they run: one copy of each module.
  const { runWords } = await import('../../../gateway/cli/main.ts');
  const code = await runWords(words, { environment, folder, terminal, signals: NO_SIGNALS });
  return { code, ...printed };
}

/**
 * `headwater serve` in this process, for what clients and other commands see of it: it costs a third of the CPU of a process.
 * What it logs is not in `ended.err`.
 */
export class ServiceHere {
  readonly #lines = new EventEmitter();
  readonly #printed: { readonly out: string; readonly err: string };
  readonly ended: Promise<Ended>;
  #stop: (signal: NodeJS.Signals) => void = () => {};

  constructor(environment: Readonly<Record<string, string>>, folder = process.cwd()) {
    const { terminal, printed } = captured(() => this.#lines.emit('line'));
    this.#printed = printed;
    const stop = new Promise<NodeJS.Signals>((resolve) => {
      this.#stop = resolve;
    });
    this.ended = (async () => {
      const { runWords } = await import('../../../gateway/cli/main.ts');
      const { writeTables } = await import('./new-installation.ts');
      const dataDir = environment['HEADWATER_DATA_DIR']!;
      if (environment['HEADWATER_DATABASE_URL'] === undefined) await writeTables(dataDir);
      const code = await runWords(['serve'], {
        environment: {
          HEADWATER_LOG_LEVEL: 'error',
          ...(environment['HEADWATER_ROLE'] === undefined && {
            HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(dataDir, 'access.log'),
          }),
          ...environment,
        },
        folder,
        terminal,
        signals: { stop, onReload() {} },
      });
      return { code, ...printed };
    })();
  }

  get out(): string {
    return this.#printed.out;
  }

  /** Waits for something on standard output; a service that ends before is an error. */
  async printed(what: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = what.exec(this.out);
      if (found) return found;
      const event = await Promise.race([once(this.#lines, 'line'), this.ended]);
      if ('code' in event) throw new Error(`It ended with ${event.code} before:\n${event.err}${event.out}`);
    }
  }

  /** As SIGTERM of the process does. */
  async stop(): Promise<Ended> {
    this.#stop('SIGTERM');
    return this.ended;
  }
}

/** A terminal that keeps what is printed. */
function captured(more: () => void = () => {}) {
  const printed = { out: '', err: '' };
  const to = (stream: 'out' | 'err') => (line: string) => {
    printed[stream] += `${line}\n`;
    more();
  };
  return { printed, terminal: { out: to('out'), err: to('err'), progress: to('err') } };
}
