import { expect } from 'chai';
import { regenerateKey } from '../../core/access/keys.ts';
import { setSecureAccess } from '../../core/access/projects.ts';
import { type ErrorBody, type HarbourService, startHarbour } from '../support/projects/harbour-service.ts';
import { TwinProject } from '../support/random/twin-project.ts';

describe('delivery: secure access (spec 5)', () => {
  let service: HarbourService;
  let primary: string;
  let secondary: string;

  before(async () => {
    service = await startHarbour();
    const { operations } = service.service.core;
    const made = await operations.installation(null, (installation) =>
      setSecureAccess(installation, service.project.id, true),
    );
    primary = made.primary!;
    secondary = made.secondary!;
  });
  after(() => service.stop());

  const ask = async (key: string | null, path = '/items?limit=1') => {
    const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    const { status, body } = await service.delivery.get<ErrorBody>(path, { headers });
    return status === 200 ? 200 : `${status} ${body.error_code}`;
  };

  it('requires a key, and accepts either of two', async () => {
    expect(await ask(null)).to.equal('401 3');
    expect(await ask('not-a-key-of-anybody')).to.equal('401 3');
    expect(await ask(primary)).to.equal(200);
    expect(await ask(secondary)).to.equal(200);
  });

  it('reveals nothing without a key (401 before 404)', async () => {
    for (const path of ['/items/lighthouse', '/items/unknown', '/types', '/nothing'])
      expect(await ask(null, path), path).to.equal('401 3');
    expect(await ask(primary, '/items/unknown')).to.equal('404 100');
  });

  it('accepts no key of another kind', async () => {
    expect(await ask(service.project.previewKey)).to.equal('401 3');
    const preview = await fetch(`${service.preview.baseUrl}/items`, {
      headers: { authorization: `Bearer ${primary}` },
    });
    expect(preview.status).to.equal(401);
  });

  it('refuses a key of another project with 403', async () => {
    const { core, mediaType } = service.service;
    const other = await TwinProject.create(core, 'Other', mediaType);
    const keys = await core.operations.installation(null, (installation) =>
      setSecureAccess(installation, other.id, true),
    );
    expect(await ask(keys.primary!)).to.equal('403 4');
  });

  it('does not share an answer to a request with a key with those without one', async () => {
    expect(await ask(primary, '/items/ferry')).to.equal(200);
    expect(await ask(null, '/items/ferry')).to.equal('401 3');
  });

  it('rejects a regenerated key at once, and accepts the other', async () => {
    const { operations } = service.service.core;
    const { key } = await operations.installation(null, (installation) =>
      regenerateKey(installation, service.project.id, 'delivery-primary'),
    );
    expect(await ask(primary)).to.equal('401 3');
    expect(await ask(key)).to.equal(200);
    expect(await ask(secondary)).to.equal(200);
  });

  it('requires none once it is off', async () => {
    await service.service.core.operations.installation(null, (installation) =>
      setSecureAccess(installation, service.project.id, false),
    );
    expect(await ask(null)).to.equal(200);
    expect(await ask(secondary)).to.equal(200);
  });
});
