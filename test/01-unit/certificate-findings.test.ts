import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Settings } from '../../config/schema.ts';
import { certificateFindings } from '../../gateway/cli/certificate-findings.ts';
import { createSelfSigned } from '../../gateway/listeners/self-signed.ts';

const NONE = { certificate: null, key: null };

describe('what doctor says of certificates', () => {
  let folder: string;
  let files: { certificate: string; key: string };
  const findings = (settings: object, day = '2030-03-01') =>
    certificateFindings(
      { role: 'all', tlsPort: 443, tls: NONE, internalTls: NONE, ...settings } as Settings,
      Date.parse(day),
    );
  const of = async (day: string) => {
    const [finding] = await findings({ tls: files }, day);
    return `${finding?.state} ${finding?.subject} ${finding?.detail}`.replaceAll(folder, '');
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-certificates-'));
    files = { certificate: join(folder, 'site.pem'), key: join(folder, 'site.key') };
    const made = await createSelfSigned(['a.example'], {
      from: new Date('2030-01-01T00:00:00Z'),
      until: new Date('2030-04-01T00:00:00Z'),
    });
    await writeFile(files.certificate, made.cert);
    await writeFile(files.key, made.key);
  });
  after(() => rm(folder, { recursive: true }));

  it('is until when they are valid, with a warning before that', async () => {
    expect(await of('2029-12-31')).to.equal(
      'bad certificate /site.pem, DNS:a.example: is not valid before 2030-01-01',
    );
    expect(await of('2030-03-17')).to.equal('ok certificate /site.pem, DNS:a.example, until 2030-04-01');
    expect(await of('2030-03-19')).to.equal(
      "warn certificate /site.pem, DNS:a.example: expires on 2030-04-01, in 13 days; renew it, then 'headwater reload'",
    );
    expect(await of('2030-03-31')).to.match(/expires on 2030-04-01, in 1 day; renew it/);
    expect(await of('2030-04-02')).to.equal(
      "bad certificate /site.pem, DNS:a.example: expired on 2030-04-01; renew it, then 'headwater reload'",
    );
  });

  it('is no warning for one that lives for days until its last quarter', async () => {
    const short = await createSelfSigned(['a.example'], {
      from: new Date('2030-01-01T00:00:00Z'),
      until: new Date('2030-01-07T00:00:00Z'),
    });
    const tls = { certificate: join(folder, 'short.pem'), key: join(folder, 'short.key') };
    await writeFile(tls.certificate, short.cert);
    await writeFile(tls.key, short.key);
    expect((await findings({ tls }, '2030-01-02'))[0]?.state).to.equal('ok');
    const [late] = await findings({ tls }, '2030-01-05T13:00:00Z');
    expect(late?.detail).to.match(/: expires on 2030-01-07, in 1 day; renew it/);
  });

  it('is what is wrong with their files', async () => {
    const [finding] = await findings({ tls: { ...files, key: join(folder, 'none.key') } });
    expect(finding?.state).to.equal('bad');
    expect(finding?.detail).to.match(/none\.key cannot be read: there is no such file/);
  });

  it('is nothing for a role that does not serve with them', async () => {
    expect(await findings({})).to.deep.equal([]);
    expect(await findings({ tls: files, tlsPort: 0 })).to.deep.equal([]);
    expect(await findings({ tls: files, role: 'core' })).to.deep.equal([]);
    const [ofCore] = await findings({ internalTls: files, role: 'core' });
    expect(ofCore?.subject).to.equal('certificate of the core');
    const [late] = await findings({ internalTls: files, role: 'core' }, '2031-01-01');
    expect(late?.detail).to.match(/expired on 2030-04-01; renew it, then restart the core$/);
  });
});
