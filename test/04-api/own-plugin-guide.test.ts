/** Runs every block of the guide `plugins/your-own-plugin.md`. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../support/gateway/run-gateway.ts';
import { HeadwaterProcess } from '../support/service/run-headwater.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const BIN = join(ROOT, 'gateway/cli/headwater.cjs');

interface Step {
  readonly shell: string;
  /** The output in the guide. */
  readonly prints: string | undefined;
}

async function stepsOfGuide(): Promise<Step[]> {
  const guide = await readFile(join(ROOT, 'plugins/your-own-plugin.md'), 'utf8');
  return [...guide.matchAll(/```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g)].map(
    ([, shell = '', prints]) => ({ shell, prints }),
  );
}

describe('the guide to your own plugin', () => {
  it('works as written', async function () {
    this.timeout(120_000);
    const folder = await mkdtemp(join(tmpdir(), 'headwater-guide-'));
    const port = String(await freePort());
    const environment = {
      HEADWATER_DATA_DIR: join(folder, 'data'),
      HEADWATER_PORT: port,
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
      HEADWATER_CONFIG: join(folder, 'my-site'),
    };
    const steps = await stepsOfGuide();
    expect(steps).to.have.length.above(6);
    let service: HeadwaterProcess | undefined;
    const printed: string[] = [];
    try {
      for (const { shell, prints } of steps) {
        if (shell.trim() === 'npx headwater serve &') {
          service = new HeadwaterProcess(['serve'], environment);
          await service.printed(/Headwater is running/);
          continue;
        }
        // The guide assumes the folder of the service and the default port.
        const prelude = `set -e; npx() { shift; "${process.execPath}" "${BIN}" "$@"; }\n`;
        const script = prelude + shell.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);
        const { stdout } = await run('bash', ['-c', script], {
          cwd: folder,
          env: { ...process.env, ...environment },
        });
        const out = stdout.replaceAll('\r', '').toLowerCase();
        printed.push(out);
        if (prints !== undefined) expect(out, shell).to.equal(prints.toLowerCase());
      }
      expect(printed[1]).to.match(/compression → (\S+ → )*teapot → .*docs/);
    } finally {
      service?.signal('SIGTERM');
      await service?.ended;
      await rm(folder, { recursive: true });
    }
  });
});
