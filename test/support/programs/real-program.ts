/** Programs that tests need: found on this machine, else installed where that is allowed. */
import { execFile } from 'node:child_process';
import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Name of the program → Debian's package of it. */
const PACKAGES = {
  nginx: 'nginx-light',
  'redis-server': 'redis-server',
  initdb: 'postgresql',
  pgbouncer: 'pgbouncer',
  'systemd-analyze': 'systemd',
  faketime: 'faketime',
  'swift-proxy-server': 'swift-proxy',
  'swift-ring-builder': 'swift-proxy',
  'swift-object-server': 'swift-object',
  'swift-container-server': 'swift-container',
  'swift-account-server': 'swift-account',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  wrk: 'wrk',
  h2load: 'nghttp2-client',
} as const;

export type RealProgram = keyof typeof PACKAGES;

/** Servers are for root, and PATH often lacks their folder. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];
/** Debian's folder for the programs of PostgreSQL, one folder for each version. */
const POSTGRES_FOLDER = '/usr/lib/postgresql';
/** Of all runs on this machine. */
const APT_LOCK = '/var/lock/headwater-apt.lock';

/**
 * Where the program is.
 *
 * @throws one sentence where it is missing and cannot be installed; tests never skip
 */
export async function realProgram(name: RealProgram): Promise<string> {
  const found = await find(name);
  if (found !== undefined) return found;
  const why = await install(PACKAGES[name]);
  const installed = await find(name);
  if (installed !== undefined) return installed;
  throw new Error(
    `This test needs ${name}, which is not on PATH and could not be installed (${why}); install it.`,
  );
}

async function find(name: string): Promise<string | undefined> {
  const versions = await readdir(POSTGRES_FOLDER).catch(() => []);
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...MORE_FOLDERS,
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(POSTGRES_FOLDER, version, 'bin')),
  ];
  for (const folder of folders) {
    const path = join(folder, name);
    const isThere =
      folder !== '' &&
      (await access(path, constants.X_OK).then(
        () => true,
        () => false,
      ));
    if (isThere) return path;
  }
  return undefined;
}

async function install(name: string): Promise<string> {
  if (process.getuid?.() !== 0) return 'only root may do that';
  if ((await find('apt-get')) === undefined) return 'this is no Debian';
  // Run level 1: the package does not start a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = 'apt-get install -y --no-install-recommends "$0"';
  try {
    // Other processes of the same tests install as well, and apt refuses to run twice.
    await run('flock', [APT_LOCK, 'sh', '-c', `${apt} || { apt-get update && ${apt}; }`, name], {
      env,
      timeout: 600_000,
    });
  } catch (error) {
    return `apt-get: ${String((error as { stderr?: string }).stderr ?? error)
      .trim()
      .split('\n')
      .at(-1)}`;
  }
  return 'the package does not hold it';
}
