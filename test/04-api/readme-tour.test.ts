import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { HeadwaterProcess } from '../support/service/run-headwater.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const tour = /<!-- tour:begin[\s\S]*?<!-- tour:end -->/.exec(readme)?.[0] ?? '';
const base = /^D=(\S+)$/m.exec(tour)?.[1] ?? '';
const steps = [...tour.matchAll(/```sh\n([\s\S]*?)```\n```json\n([\s\S]*?)\n```/g)].map(
  ([, shell = '', json = '']) => ({
    url: /^curl .*"([^"]+)"$/m.exec(shell)?.[1] ?? '',
    needsKey: shell.includes('Bearer $KEY'),
    json,
  }),
);

const writing = /\*\*Writing\.\*\*[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';

/** Without what differs from run to run: times, ids of requests, ports, folder, and HTTPS, which is off here. */
function settled(text: string): string {
  return text
    .replaceAll(/\n +https .*/g, '')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/("request_id":")[^"]+/g, '$1ID')
    .replaceAll(/(https?:\/\/127\.0\.0\.1):\d+/g, '$1')
    .replaceAll(/\/\S*\/(first-run-keys\.json|admin-token)/g, '$1');
}

describe("the README's tour", () => {
  let folder: string;
  let service: HeadwaterProcess;
  let origin: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-tour-'));
    service = new HeadwaterProcess(['serve'], {
      HEADWATER_DATA_DIR: join(folder, 'data'),
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
    });
    [, origin = ''] = await service.printed(/try +curl -s '(http:\/\/[^/]+)/);
  });
  after(async () => {
    service.signal('SIGTERM');
    await service.ended;
    rmSync(folder, { recursive: true });
  });

  it('shows the banner as it is', () => {
    const shown = /```text\n([\s\S]*?)```/.exec(tour)?.[1] ?? '';
    expect(settled(service.out)).to.include(settled(shown.trimEnd()));
  });

  it('has steps, or this test shows nothing', () => {
    expect(steps).to.have.length.above(4);
    expect(base).to.match(/^http:\/\/127\.0\.0\.1:8080\/delivery\//);
  });

  for (const { url, needsKey, json } of steps) {
    it(`shows what it prints: ${url}`, async () => {
      const keys = JSON.parse(readFileSync(join(folder, 'data/first-run-keys.json'), 'utf8')) as Record<
        string,
        string
      >;
      const full = url.replace(/\$\{D[^}]*\}/, base.replace('delivery', 'preview')).replace('$D', base);
      const headers = needsKey ? { authorization: `Bearer ${keys['preview-primary']}` } : undefined;
      const answer = await fetch(full.replace('http://127.0.0.1:8080', origin), headers && { headers });
      expect(settled(await answer.text())).to.equal(settled(json));
    });
  }

  it('ends with an item that was written, published and delivered', async () => {
    const script = writing.replaceAll('http://127.0.0.1:8080', origin);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: folder });
    const delivered = JSON.parse(stdout.slice(stdout.lastIndexOf('{"item":'))) as {
      item: { elements: { title: { value: string } } };
    };
    expect(delivered.item.elements.title.value).to.equal('Footbridge closed until May');
  });
});
