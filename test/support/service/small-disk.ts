/** The service on a disk of a few megabytes: a memory file system in a mount namespace of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { IN_PLACE } from './run-headwater.ts';
import { ADMIN_TOKEN } from './start-service.ts';

const BIN = join(import.meta.dirname, '../../../gateway/cli/headwater.cjs');
const BALLAST = 'ballast';

export interface SmallDisk {
  readonly url: string;
  /** Removes the file that fills a part of the disk. */
  freeSpace(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param options `size` of the disk and `ballast`, a file that fills a part of it, in MiB
 * @throws one sentence where no mount namespace may be made
 */
export async function startOnSmallDisk(options: { size: number; ballast: number }): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-small-disk-'));
  const environment = {
    ...IN_PLACE,
    HEADWATER_DATA_DIR: join(folder, 'data'),
    HEADWATER_PORT: '0',
    HEADWATER_TLS_PORT: '0',
    HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
    HEADWATER_PIPELINE__OFF: 'rate-limit,access-log',
  };
  const script = `mount -t tmpfs -o size=${options.size}m none "$0" && head -c ${options.ballast}M /dev/zero > "$0/${BALLAST}" && exec "$1" "$2" serve`;
  const child = spawn(
    'unshare',
    [...(await namespace()), 'sh', '-c', script, folder, process.execPath, BIN],
    {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const url = await printedUrl(child);
  return {
    url,
    // The namespace is reached through the process; `unshare` and `sh` became the service.
    freeSpace: () => rm(join(`/proc/${child.pid}/root`, folder, BALLAST)),
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** Root needs no user namespace; others may have one, where the system allows it. */
export async function namespace(): Promise<string[]> {
  const arguments_ = process.getuid?.() === 0 ? ['-m'] : ['-rm'];
  const { ok, why } = await promisify(execFile)('unshare', [...arguments_, 'true']).then(
    () => ({ ok: true, why: '' }),
    (error: Error) => ({ ok: false, why: error.message.split('\n')[0] }),
  );
  if (!ok)
    throw new Error(`This test needs a mount namespace (unshare), which this user may not make: ${why}`);
  return arguments_;
}

function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += String(chunk);
      const url = /delivery\s+(http:\S+)\/delivery/.exec(text)?.[1];
      if (url) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', (code) => reject(new Error(`It ended with ${code}:\n${text}`)));
  });
}
