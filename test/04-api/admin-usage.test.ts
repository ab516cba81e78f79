import { expect } from 'chai';
import { Cancellation, type ServiceError } from '../../core/contract.ts';
import { dayOf } from '../../core/usage/quotas.ts';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import { type HarbourService, startHarbour } from '../support/projects/harbour-service.ts';
import { managementKey } from '../support/projects/manage-service.ts';
import { until } from '../support/until.ts';

interface UsageAnswer {
  readonly from: string;
  readonly to: string;
  readonly days: readonly Record<string, number | string>[];
  readonly total: Record<string, number>;
  readonly quotas: readonly Record<string, unknown>[];
}

const DAY = 86_400_000;
const today = () => dayOf(new Date());
const daysAgo = (days: number) => dayOf(new Date(Date.now() - days * DAY));

describe('admin API: usage', () => {
  let harbour: HarbourService;
  let admin: ApiClient;
  let manage: { readonly headers: { readonly authorization: string } };
  const usage = (query = '', project = harbour.project.id) =>
    admin.get<UsageAnswer>(`/projects/${project}/usage${query}`);

  before(async () => {
    harbour = await startHarbour({
      environment: {
        HEADWATER_PLUGINS__USAGE__FLUSH_SECONDS: '0.1',
        HEADWATER_QUOTAS__MONTH__MANAGE: '3',
        HEADWATER_QUOTAS__DAY__PREVIEW: '1000',
      },
    });
    admin = createApiClient(`${harbour.service.url}/admin`, {
      headers: { authorization: `Bearer ${harbour.service.adminToken}` },
    });
    const { key } = await managementKey(harbour.service.core, harbour.project.id);
    manage = { headers: { authorization: `Bearer ${key}` } };
  });
  after(() => harbour.stop());

  const settled = async (surface: string, calls: number) => {
    for (let waited = 0; waited < 50; waited += 1) {
      const { body } = await usage();
      if ((body.total[surface] ?? 0) >= calls) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return (await usage()).body;
  };

  it('is empty without calls, for the last thirty days by default', async () => {
    const { status, body } = await usage();
    expect(status).to.equal(200);
    expect(body).to.deep.include({ from: daysAgo(29), to: today(), days: [] });
    expect(body.total).to.deep.equal({ delivery: 0, preview: 0, manage: 0, assets: 0 });
  });

  it('counts calls by surface, hits of the cache and 304 included, preview apart', async () => {
    const first = await harbour.delivery.get('/items?limit=2');
    for (let at = 0; at < 9; at += 1) await harbour.delivery.get('/items?limit=2');
    const etag = first.headers.get('etag') ?? '';
    const again = await harbour.delivery.get('/items?limit=2', { headers: { 'if-none-match': etag } });
    expect(again.status).to.equal(304);
    await harbour.delivery.get('/items/unknown');
    for (let at = 0; at < 4; at += 1) await harbour.preview.get('/items?limit=1');
    await fetch(`${harbour.preview.baseUrl}/items`);
    const { sequence } = (await harbour.service.core.operations.storage.sql.get<{ sequence: number }>(
      'SELECT sequence FROM installation',
    ))!;
    const body = await settled('preview', 4);
    expect(body.total).to.deep.equal({ delivery: 12, preview: 4, manage: 0, assets: 0 });
    expect(body.days).to.deep.equal([{ day: today(), ...body.total }]);
    expect(
      await harbour.service.core.operations.storage.sql.get('SELECT sequence FROM installation'),
    ).to.deep.equal({ sequence });
  });

  it('refuses calls beyond the quota, and shows its state', async () => {
    const url = `${harbour.service.url}/manage/v2/projects/${harbour.project.id}/languages`;
    const call = async () => (await fetch(url, manage)).status;
    for (let at = 0; at < 3; at += 1) {
      expect(await call()).to.equal(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await call()).to.equal(429);
    const body = await settled('manage', 3);
    expect(await call()).to.equal(429);
    const now = new Date();
    expect(body.quotas).to.deep.equal([
      {
        surface: 'preview',
        period: 'day',
        limit: 1000,
        used: 4,
        ends: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString(),
      },
      {
        surface: 'manage',
        period: 'month',
        limit: 3,
        used: 3,
        ends: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
      },
    ]);
  });

  it('shows the requested days, first and last included', async () => {
    let number = 0;
    const add = (day: string, calls: number) => {
      number += 1;
      const counts = [harbour.project.id, '6f3a1c62-0000-4000-8000-000000000000'].map((project) => ({
        project,
        surface: 'assets' as const,
        day,
        calls,
      }));
      return harbour.service.core.usage.add({ source: 'days', number, counts });
    };
    for (const [day, calls] of [
      ['2024-02-28', 1],
      ['2024-02-29', 20],
      ['2024-02-29', 3],
      ['2024-03-01', 400],
    ] as const)
      await add(day, calls);
    const { body } = await usage('?from=2024-02-29&to=2024-03-01');
    expect(body.days.map(({ day, assets }) => [day, assets])).to.deep.equal([
      ['2024-02-29', 23],
      ['2024-03-01', 400],
    ]);
    expect(body.total['assets']).to.equal(423);
    expect((await usage('?from=2024-02-28&to=2024-02-28')).body.total['assets']).to.equal(1);
    expect((await usage('?to=2024-02-28')).body.from).to.equal('2024-01-30');
  });

  it('counts a batch once, however often it is sent, and each source by itself', async () => {
    const add = (source: string, number: number, calls: number) =>
      harbour.service.core.usage.add({
        source,
        number,
        counts: [{ project: harbour.project.id, surface: 'assets', day: '2023-05-06', calls }],
      });
    await Promise.all([add('one', 1, 1), add('one', 1, 1), add('two', 1, 10)]);
    await add('one', 2, 100);
    await add('one', 1, 1);
    await add('one', 2, 100);
    await add('two', 2, 1000);
    expect((await usage('?from=2023-05-06&to=2023-05-06')).body.total['assets']).to.equal(1111);
  });

  it('adds no batch whose sender has stopped waiting before its turn, and ends at once', async () => {
    const { core } = harbour.service;
    const sender = new Cancellation();
    let release = () => {};
    const busy = core.operations.storage.write(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    await until(() => core.operations.storage.figures().writes.waiting === 0);
    const batch = {
      source: 'gone',
      number: 1,
      counts: [{ project: harbour.project.id, surface: 'assets' as const, day: '2022-05-06', calls: 1 }],
    };
    const added = core.usage.add(batch, sender).then(
      () => 'added',
      (error: ServiceError) => error.errorName,
    );
    sender.abort(new Error('gone'));
    expect(await added).to.equal('unavailable');
    release();
    await busy;
    await core.operations.storage.write(async () => {});
    const ofDay = async () => (await usage('?from=2022-05-06&to=2022-05-06')).body.total['assets'];
    expect(await ofDay()).to.equal(0);
    await core.usage.add(batch);
    expect(await ofDay()).to.equal(1);
  });

  it('forgets sources that were silent for long when a new one comes', async () => {
    const { storage } = harbour.service.core.operations;
    const today = new Date().toISOString().slice(0, 10);
    await storage.write(async (tx) => {
      for (const [id, day] of [
        ['silent', '2020-01-01'],
        ['recent', today],
      ])
        await tx.run('INSERT INTO usage_source (id, number, day) VALUES (?, 7, ?)', [id!, day!]);
    });
    const { id: project } = harbour.project;
    const counts = [{ project, surface: 'assets' as const, day: today, calls: 1 }];
    await harbour.service.core.usage.add({ source: 'new', number: 1, counts });
    const kept = await storage.sql.all<{ id: string; number: number }>('SELECT id, number FROM usage_source');
    expect(kept).to.deep.include({ id: 'new', number: 1 }).and.deep.include({ id: 'recent', number: 7 });
    expect(kept.map(({ id }) => id)).not.to.include('silent');
  });

  const wrong = [
    '?from=yesterday',
    '?from=2024-02-30',
    '?from=2024-2-3',
    '?to=',
    '?from=2024-03-02&to=2024-03-01',
    '?from=2022-01-01&to=2024-03-01',
    '?from=2024-03-01&from=2024-03-02',
    `?from=${'9'.repeat(5000)}`,
    '?to=9999-99-99',
  ];
  for (const query of wrong)
    it(`answers 400 to ${query.slice(0, 60)}`, async () => expect((await usage(query)).status).to.equal(400));

  it('answers 404 for unknown projects', async () => {
    expect((await usage('', '6f3a1c62-0000-4000-8000-000000000000')).status).to.equal(404);
  });
});
