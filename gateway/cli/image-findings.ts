import { readFileSync, realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../config/schema.ts';
import { ENCODER_VERSION } from '../../workers/images/encoder-version.ts';
import { jemallocFile } from '../../workers/tier/host-environment.ts';
import { openWorkers } from '../roles/open-workers.ts';
import type { Finding } from './finding.ts';

/** A GIF of one pixel. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const TIMEOUT_MS = 15_000;

/** Checks the workers, their memory allocator and the cache of results, which a worker does not have. */
export async function imageFindings(settings: Settings): Promise<Finding[]> {
  const { role, workers: own } = settings;
  if (role === 'worker') return workers({ ...own, remote: [] });
  return [...(await workers(own)), await cache(settings)];
}

/** Transforms an image in a new host, or in a remote one. */
async function workers(settings: Settings['workers']): Promise<Finding[]> {
  const subject = 'image workers';
  let reason = '';
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (fields: object) => (reason = reasonIn(fields)),
  };
  const tier = openWorkers(settings, log);
  const where = settings.remote.length > 0 ? `at ${settings.remote.join(', ')}` : 'on this machine';
  const began = performance.now();
  try {
    const encoding = { format: 'webp', quality: 80 } as const;
    const plan = { window: null, width: 1, height: 1, background: null, frames: 'first', encoding } as const;
    await tier.run('image-transform', { source: IMAGE, plan }, { deadline: TIMEOUT_MS });
    const took = `first image after ${Math.round(performance.now() - began)} ms`;
    const pid = tier.report()['images']?.hosts[0]?.pid ?? null;
    return [
      { state: 'ok', subject, detail: `${ENCODER_VERSION}; ${where}, ${took}` },
      allocator(settings, pid),
    ];
  } catch (error) {
    const detail = `${ENCODER_VERSION}; ${where}: ${reason === '' ? (error as Error).message : reason}`;
    return [{ state: 'bad', subject, detail }, allocator(settings, null)];
  } finally {
    await tier.close();
  }
}

function reasonIn(fields: object): string {
  return 'reason' in fields ? String(fields.reason) : '';
}

/** @param pid process id of a host that has transformed an image */
function allocator({ allocator: choice, remote }: Settings['workers'], pid: number | null): Finding {
  const subject = 'image memory';
  if (remote.length > 0) return { state: 'ok', subject, detail: 'where the images are made' };
  if (choice === 'system')
    return { state: 'ok', subject, detail: 'the allocator of the system, as configured' };
  const jemalloc = jemallocFile();
  if (jemalloc === undefined) {
    const detail = 'the allocator of the system; with jemalloc (libjemalloc2) busy workers need less';
    return { state: 'ok', subject, detail };
  }
  // The linker ignores a library that it cannot load.
  if (pid !== null && !hasLoaded(pid, jemalloc)) {
    return {
      state: 'warn',
      subject,
      detail: `the allocator of the system; ${jemalloc} is there, but does not load`,
    };
  }
  return { state: 'ok', subject, detail: `jemalloc, ${jemalloc}` };
}

function hasLoaded(pid: number, library: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8').includes(realpathSync(library));
  } catch {
    // The host has ended, or this system has no /proc.
    return true;
  }
}

async function cache({ dataDir, images }: Settings): Promise<Finding> {
  const subject = 'image cache';
  if (images.cacheBytes === 0) return { state: 'warn', subject, detail: 'off: every image is made again' };
  const folder = join(dataDir, 'cache', 'images');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  let bytes = 0;
  let files = 0;
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (!found?.isFile()) continue;
    files += 1;
    bytes += found.size;
  }
  const megabytes = (count: number) => `${(count / 1e6).toFixed(1)} MB`;
  return {
    state: 'ok',
    subject,
    detail: `${files} results, ${megabytes(bytes)} of ${megabytes(images.cacheBytes)}`,
  };
}
