import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { HeadwaterProcess } from '../../support/service/run-headwater.ts';
import type { ShiftedClock } from './shifted-clock.ts';
import { waitForHealth } from './wait-for-health.ts';

/** What a test stops, kills and starts again. */
export interface Disturbed {
  readonly name: string;
  stall(): Promise<void> | void;
  continue(): Promise<void> | void;
  kill(): Promise<void> | void;
  /** Starts it after it was killed. */
  restart(): Promise<void>;
}

/** Most that is shown of its log. */
const LOGGED = 4;
const LOGGED_CHARACTERS = 500;
/** A start that this prevents is repeated by whatever supervises the process, as systemd does. */
const PREVENTED =
  /The disk that holds .+ is full\.|The database (.+ )?(has no server that accepts writes|does not answer)/;
const SUPERVISED_MS = 1000;

export interface PartOptions {
  readonly clock?: ShiftedClock | undefined;
  /** Begins its command. */
  readonly through?: readonly string[] | undefined;
}

/** A process of the product. */
export class Part implements Disturbed {
  readonly name: string;
  readonly port: number;
  readonly clock: ShiftedClock | undefined;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #through: readonly string[];
  #process: HeadwaterProcess;
  #isEnding = false;
  /** What the processes before it logged. */
  #before = '';
  /** Set when it ended without a signal of the test. */
  failure: string | undefined;

  /** @param port where it answers whether it is healthy */
  constructor(
    name: string,
    port: number,
    environment: Readonly<Record<string, string>>,
    { clock, through = [] }: PartOptions = {},
  ) {
    this.name = name;
    this.port = port;
    this.clock = clock;
    this.#through = through;
    this.#environment = { ...environment, ...clock?.environment };
    this.#process = this.#start();
  }

  /** The last of what it logged since its start. */
  get logged(): string[] {
    const lines = `${this.#process.out}${this.#process.err}`.trim().split('\n');
    return lines.slice(-LOGGED).map((line) => `${this.name}: ${line.slice(0, LOGGED_CHARACTERS)}`);
  }

  /** All lines of its log with the text. */
  linesWith(text: string): string[] {
    const lines = `${this.#before}${this.#process.out}${this.#process.err}`.split('\n');
    return lines.filter((line) => line.includes(text)).map((line) => `${this.name}: ${line}`);
  }

  signal(name: NodeJS.Signals): void {
    if (name === 'SIGKILL' || name === 'SIGTERM') this.#isEnding = true;
    this.#process.signal(name);
  }

  stall(): void {
    this.signal('SIGSTOP');
  }

  continue(): void {
    this.signal('SIGCONT');
  }

  kill(): void {
    this.signal('SIGKILL');
  }

  async restart(): Promise<void> {
    const { out, err } = await this.#process.ended;
    this.#before += out + err;
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
    const last = await waitForHealth(`http://127.0.0.1:${this.port}/health/ready`, milliseconds, busy);
    if (last === undefined) return;
    const why = this.failure ?? `${last} ${this.#process.err}`;
    throw new Error(`${this.name} is not healthy after ${milliseconds} ms: ${why}`);
  }

  #start(): HeadwaterProcess {
    this.#isEnding = false;
    const started = new HeadwaterProcess(['serve'], this.#environment, this.#through);
    started.ended.then(async ({ code, out, err }) => {
      if (this.#isEnding) return;
      if (!PREVENTED.test(err)) this.failure = `${this.name} ended with ${code}: ${err}`;
      else {
        await pause(SUPERVISED_MS);
        if (this.#isEnding) return;
        this.#before += out + err;
        this.#process = this.#start();
      }
    });
    return started;
  }
}
