import cluster, { type Worker } from 'node:cluster';
import { StartError } from '../../config/start-error.ts';
import type { Log } from '../../plugins/contract.ts';
import { type Channel, type Handlers, openChannel } from './channel.ts';
import { closeUnconfirmed } from './close-unconfirmed.ts';
import type { GatewayProcessCalls, ServingFacts, SupervisorCalls } from './process-calls.ts';

export interface GatewayProcess {
  /** Of its slot. */
  readonly number: number;
  readonly worker: Worker;
  readonly channel: Channel<GatewayProcessCalls>;
  /** Undefined where the system could not start it. */
  readonly pid: number | undefined;
  readonly started: Date;
  /** Resolves when it serves; rejects where it ends before. */
  readonly serving: Promise<ServingFacts>;
  readonly ended: Promise<void>;
  isServing: boolean;
}

/** What a process calls, apart from how its start went. */
type AnsweredCalls = Omit<SupervisorCalls, 'serving' | 'failed'>;

interface SlotOptions {
  /** From 1. */
  readonly number: number;
  readonly handlers: Handlers<AnsweredCalls>;
  readonly log: Log;
  /** Called when one of its processes has ended, before another one replaces it. */
  onEnd(): void;
}

/** A process that served for so long is replaced at once; others after a pause, which doubles. */
const SOON_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/** The place of one gateway process: starts it, and replaces it where it ends after one of the slot has served. */
export class ProcessSlot {
  readonly number: number;
  readonly #options: SlotOptions;
  #process: GatewayProcess | undefined;
  #hasServed = false;
  #isStopped = false;
  /** Processes in a row that ended soon after their start. */
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotOptions) {
    this.number = options.number;
    this.#options = options;
  }

  /** Undefined while it is being replaced. */
  get process(): GatewayProcess | undefined {
    return this.#process;
  }

  start(): GatewayProcess {
    const worker = cluster.fork();
    const { pid } = worker.process;
    if (pid !== undefined) closeUnconfirmed(worker);
    let serve!: (facts: ServingFacts) => void;
    let fail!: (error: StartError) => void;
    const serving = new Promise<ServingFacts>((resolve, reject) => {
      serve = resolve;
      fail = reject;
    });
    // The start awaits it; later the log has the reason.
    serving.catch(() => {});
    let reason: string | undefined;
    const channel = openChannel<GatewayProcessCalls, SupervisorCalls>(worker.process, {
      ...this.#options.handlers,
      serving: (facts) => {
        started.isServing = true;
        this.#hasServed = true;
        serve(facts);
        return null;
      },
      failed: (sentence) => {
        reason = sentence;
        return null;
      },
    });
    const ended = endOf(worker).then((how) => {
      channel.close();
      this.#process = undefined;
      this.#options.onEnd();
      fail(new StartError(reason ?? `A gateway process ended: ${how}.`));
      // The start awaits the first of each slot, and ends where one fails.
      if (this.#hasServed && !this.#isStopped) this.#replace(started, reason ?? how);
    });
    const started: GatewayProcess = {
      number: this.number,
      worker,
      channel,
      pid,
      started: new Date(),
      serving,
      ended,
      isServing: false,
    };
    this.#process = started;
    return started;
  }

  /** A process that ends from now on is not replaced. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #replace({ pid, started }: Pick<GatewayProcess, 'pid' | 'started'>, reason: string): void {
    this.#failures = Date.now() - started.getTime() >= SOON_MS ? 0 : this.#failures + 1;
    const milliseconds =
      this.#failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
    this.#options.log.warn(
      { process: this.number, pid, reason, milliseconds },
      'A gateway process has ended; another one replaces it.',
    );
    this.#timer = setTimeout(() => {
      try {
        this.start();
      } catch (error) {
        // Node throws where the system has no memory left for it.
        this.#replace({ pid: undefined, started: new Date() }, (error as Error).message);
      }
    }, milliseconds);
  }
}

/** How a process ended. */
function endOf(worker: Worker): Promise<string> {
  return new Promise((resolve) => {
    worker.process.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    worker.on('error', ({ message }) => {
      // The system has no process or no file descriptor left for it: there is no exit.
      if (worker.process.pid === undefined) resolve(message);
    });
  });
}
