import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export const BIN = join(import.meta.dirname, '../../../gateway/cli/headwater.cjs');

/**
 * For a service that has a build, in an environment as a process manager may give it: it prepares nothing and starts no process
 * of its own in its place (0.1 s of CPU), so that signals reach the service itself.
 */
export const IN_PLACE = {
  npm_lifecycle_event: 'test',
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '33554432',
  MALLOC_ARENA_MAX: '2',
};

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const running = new Set<ChildProcess>();

/** A test that failed or timed out may leave its process running, which would keep the test runner from ending. */
export const mochaHooks = {
  afterAll(): void {
    for (const child of running) child.kill('SIGKILL');
  },
};

/** The real bin as a process without the settings of this shell. */
export class HeadwaterProcess {
  readonly #child: ChildProcess;
  #out = '';
  #err = '';
  readonly ended: Promise<Ended>;

  /**
   * @param through a command that becomes the process that its last words name
   * @param bin of another build
   */
  constructor(
    words: readonly string[],
    environment: Readonly<Record<string, string>>,
    through: readonly string[] = [],
    bin = BIN,
  ) {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HEADWATER_'));
    const [program = '', ...given] = [...through, process.execPath, bin, ...words];
    this.#child = spawn(program, given, {
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this.#child);
    this.#child.stdout?.on('data', (chunk) => {
      this.#out += String(chunk);
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#err += String(chunk);
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        running.delete(this.#child);
        resolve({ code, out: this.#out, err: this.#err });
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get out(): string {
    return this.#out;
  }

  get err(): string {
    return this.#err;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Waits for something on standard output; a process that ends before is an error. */
  async printed(what: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = what.exec(this.#out);
      if (found) return found;
      const next = new Promise<'more'>((resolve) => this.#child.stdout?.once('data', () => resolve('more')));
      const event = await Promise.race([next, this.ended]);
      if (event !== 'more') throw new Error(`It ended with ${event.code} before:\n${event.err}${event.out}`);
    }
  }
}

export function runHeadwater(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new HeadwaterProcess(words, environment).ended;
}
