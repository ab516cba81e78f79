/**
 * A folder for temporary files of one run of the tests, removed at its end: processes that tests kill, and browsers, leave
 * files behind.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How names of folders begin that show why a test failed: they stay. */
export const FINDINGS = 'headwater-browser-';

let folder: string | undefined;

/** Before the processes of a parallel run start, which inherit it. */
export function mochaGlobalSetup(): void {
  // Short, for the paths of sockets.
  folder = mkdtempSync(join(tmpdir(), 'hw-'));
  // Servers run as other users.
  chmodSync(folder, 0o1777);
  keepCompiled(folder);
  process.env['TMPDIR'] = folder;
}

/** What tsx has compiled stays for the next run: else each process of a parallel run compiles all sources, 6 s of CPU. */
function keepCompiled(of: string): void {
  const name = `tsx-${process.geteuid?.()}`;
  mkdirSync(join(tmpdir(), name), { recursive: true });
  symlinkSync(join(tmpdir(), name), join(of, name));
}

export function mochaGlobalTeardown(): void {
  if (folder === undefined) return;
  const others = readdirSync(folder).filter((name) => !name.startsWith(FINDINGS));
  try {
    for (const name of others)
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3, retryDelay: 500 });
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  } catch (error) {
    // A server may still be ending.
    console.warn(`${folder} could not be removed: ${(error as Error).message}`);
  }
}
