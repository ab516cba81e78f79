import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { realProgram } from '../../support/programs/real-program.ts';

let library: Promise<string> | undefined;

/**
 * The wall clock of one process, which a test sets forward and back while the process runs: libfaketime reads the difference from
 * a file once a second. The monotonic clock stays.
 */
export class ShiftedClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;

  private constructor(file: string, preload: string) {
    this.#file = file;
    this.environment = {
      LD_PRELOAD: preload,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  static async make(file: string): Promise<ShiftedClock> {
    library ??= findLibrary();
    const clock = new ShiftedClock(file, await library);
    await clock.shift(0);
    return clock;
  }

  shift(seconds: number): Promise<void> {
    return writeFile(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }
}

async function findLibrary(): Promise<string> {
  const program = await realProgram('faketime');
  const { stdout } = await promisify(execFile)(program, ['-f', '+0', 'printenv', 'LD_PRELOAD']);
  return stdout.trim();
}
