import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { HeadwaterProcess } from '../support/run-headwater.ts';

const POLL_MS = 50;

/** A process of the cluster that is started again after it was killed. */
export class Part {
  readonly name: string;
  readonly port: number;
  readonly #environment: Readonly<Record<string, string>>;
  #process: HeadwaterProcess;
  #isEnding = false;
  /** Set when it ended without a signal of the test. */
  failure: string | undefined;

  constructor(name: string, port: number, environment: Readonly<Record<string, string>>) {
    this.name = name;
    this.port = port;
    this.#environment = environment;
    this.#process = this.#start();
  }

  signal(name: NodeJS.Signals): void {
    if (name === 'SIGKILL' || name === 'SIGTERM') this.#isEnding = true;
    this.#process.signal(name);
  }

  async restart(): Promise<void> {
    await this.#process.ended;
    this.#process = this.#start();
  }

  async stop(): Promise<void> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    await this.#process.ended;
  }

  /** Milliseconds that its main thread has waited for a CPU. */
  get waited(): number {
    try {
      return Number(readFileSync(`/proc/${this.#process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
    } catch {
      return 0;
    }
  }

  /**
   * @param busy milliseconds that do not count
   * @throws Error unless it is healthy within the time
   */
  async healthy(milliseconds: number, busy = () => 0): Promise<void> {
    const began = performance.now();
    while (performance.now() - began < milliseconds + busy()) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/health/ready`, {
        signal: AbortSignal.timeout(2000),
      }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status === 200) return;
      await setTimeout(POLL_MS);
    }
    const { err } = this.#process;
    throw new Error(`${this.name} is not healthy after ${milliseconds} ms. ${this.failure ?? err}`);
  }

  #start(): HeadwaterProcess {
    this.#isEnding = false;
    const started = new HeadwaterProcess(['serve'], this.#environment);
    started.ended.then(({ code, err }) => {
      if (!this.#isEnding) this.failure = `${this.name} ended with ${code}: ${err}`;
    });
    return started;
  }
}
