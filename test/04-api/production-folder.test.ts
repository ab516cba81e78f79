/** What an installation without the packages for development has: a prepared build serves from it, images included. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../support/gateway/run-gateway.ts';
import { copyProgram, PROGRAM_FILES } from '../support/service/program-files.ts';
import { HeadwaterProcess } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const TOKEN = 't'.repeat(64);

/** Clients of engines that an installation on SQLite with files on its disk does not use. */
const ENGINES = ['@aws-sdk/client-s3', 'pg', 'redis'];
const MOST_PACKAGES = 180;

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

async function lockedPackages(file: string): Promise<Readonly<Record<string, LockedPackage>>> {
  return JSON.parse(await readFile(join(ROOT, file), 'utf8')).packages;
}

/** Folders of the packages that are installed here. */
async function installedPackages(): Promise<string[]> {
  return Object.keys(await lockedPackages('node_modules/.package-lock.json'));
}

/** Folders of the packages that `npm ci --omit=dev` installs. */
async function productionPackages(): Promise<string[]> {
  const wanted = await lockedPackages('package-lock.json');
  return (await installedPackages()).filter((path) => {
    const { dev = false, devOptional = false } = wanted[path] ?? { dev: true };
    return !dev && !devOptional;
  });
}

/** What the lock file has for these dependencies, as npm finds them: the nearest folder of packages first. */
function reached(packages: Readonly<Record<string, LockedPackage>>, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (from: string, name: string) => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
      if (path in packages) {
        if (found.has(path)) return;
        found.add(path);
        for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(path, next);
        return;
      }
      if (folder === '') return;
    }
  };
  for (const name of names) visit('', name);
  return found;
}

describe('an installation without the packages for development', () => {
  let folder: string;
  let service: HeadwaterProcess | undefined;
  before(async function () {
    this.timeout(300_000);
    folder = await mkdtemp(join(tmpdir(), 'headwater-production-'));
    const packages = await productionPackages();
    await copyProgram([...PROGRAM_FILES, ...packages, 'node_modules/.package-lock.json'], folder);
    // Packages in packages have come with those.
    const wanted = new Set(packages);
    for (const path of await installedPackages())
      if (!wanted.has(path)) await rm(join(folder, path), { recursive: true, force: true });
  });
  after(async () => {
    service?.signal('SIGTERM');
    await service?.ended;
    await promisify(execFile)('rm', ['-r', folder]);
  });

  it(`has at most ${MOST_PACKAGES} packages beside the clients of engines`, async () => {
    const installed = new Set(await productionPackages());
    const packages = await lockedPackages('package-lock.json');
    const names = Object.keys(packages['']?.dependencies ?? {}).filter((name) => !ENGINES.includes(name));
    // Of optional ones, those of this platform are installed.
    const needed = [...reached(packages, names)].filter((path) => installed.has(path));
    expect(needed).to.have.length.within(100, MOST_PACKAGES);
  });

  it('has none of them, and serves content and transformed images', async function () {
    this.timeout(300_000);
    const [port, tlsPort] = [await freePort(), await freePort()];
    service = new HeadwaterProcess(
      ['serve'],
      {
        HEADWATER_DATA_DIR: join(folder, 'data'),
        HEADWATER_PORT: String(port),
        HEADWATER_TLS_PORT: String(tlsPort),
        HEADWATER_ADMIN_TOKEN: TOKEN,
        HEADWATER_SAMPLE: 'true',
      },
      [],
      join(folder, 'gateway/cli/headwater.cjs'),
    );
    const base = `http://127.0.0.1:${port}`;
    const failed = service.ended.then(({ err, out }) => {
      throw new Error(`It ended:\n${err}${out}`);
    });
    failed.catch(() => {});
    const ready = () =>
      fetch(`${base}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await Promise.race([until(ready, 240_000), failed]);
    const projects = (await (
      await fetch(`${base}/admin/projects`, { headers: { authorization: `Bearer ${TOKEN}` } })
    ).json()) as { readonly projects: readonly { readonly id: string }[] };
    const [{ id = '' } = {}] = projects.projects;
    const listing = await fetch(`${base}/delivery/${id}/items`);
    expect(listing.status).to.equal(200);
    const text = await listing.text();
    const [image = ''] = /https?:[^"]+\.jpg/.exec(text) ?? [];
    const small = await fetch(`${base}${new URL(image).pathname}?w=64&fm=webp`);
    expect([small.status, small.headers.get('content-type')]).to.deep.equal([200, 'image/webp']);
    expect(service.err).to.not.include('Cannot find');
  });
});
