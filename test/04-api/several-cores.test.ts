/** Two cores on one PostgreSQL database, each with a gateway that is linked to it alone. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../config/load-config.ts';
import { createProject } from '../../core/access/projects.ts';
import { FEED_LOST_MS } from '../../core/changes/change-feed.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { startCore } from '../../gateway/roles/core.ts';
import { startGateway } from '../../gateway/roles/gateway.ts';
import { plugins } from '../../plugins/registry.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { freePort } from '../support/gateway/run-gateway.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { ADMIN_TOKEN, eventually, fetchOnce, INTERNAL_TOKEN } from '../support/service/role-processes.ts';

const ROUNDS = isLongForm ? 1000 : 50;
const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };
const schemas = schemasOf(plugins);

interface Process {
  readonly role: string;
  readonly instance: string;
  readonly version: string;
  readonly configuration: string;
  readonly sequence: number;
  readonly behind_ms: number;
}

describe('several cores on PostgreSQL', function () {
  this.slow(2000);

  let folder: string;
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  const cores: Awaited<ReturnType<typeof startCore>>[] = [];
  const gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
  let project: string;
  let port: number;
  let relay: Relay;

  const load = (role: string, name: string, more: Readonly<Record<string, string>> = {}) =>
    loadConfig(
      {
        environment: {
          HEADWATER_ROLE: role,
          HEADWATER_INSTANCE: name,
          HEADWATER_DATA_DIR: join(folder, name),
          HEADWATER_INTERNAL_TOKEN: INTERNAL_TOKEN,
          HEADWATER_LOG_LEVEL: 'error',
          HEADWATER_DRAIN_SECONDS: '2',
          ...more,
        },
      },
      schemas,
    );
  const listenOf = (core: string) =>
    core === 'core-b' ? `127.0.0.1:${port}` : `unix:${join(folder, `${core}.sock`)}`;
  /** Gateways reach one core through the relay. */
  const addressOf = (core: string) => (core === 'core-b' ? `127.0.0.1:${relay.port}` : listenOf(core));
  const startedCore = async (name: string, more: Readonly<Record<string, string>> = {}) => {
    const config = await load('core', name, {
      HEADWATER_DATABASE_URL: database.url,
      HEADWATER_FILES_DIR: join(folder, 'files'),
      HEADWATER_LISTEN: listenOf(name),
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      ...more,
    });
    return startCore(config);
  };
  const startedGateway = async (name: string, of: string) => {
    const config = await load('gateway', name, {
      HEADWATER_CORES: addressOf(of),
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, `${name}.log`),
    });
    return startGateway({ config, plugins });
  };
  const urlOf = (gateway: number) => gateways[gateway]!.urls.http;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-cores-'));
    database = await postgresDatabase();
    port = await freePort();
    relay = await startRelay(port);
    cores.push(await startedCore('core-a'), await startedCore('core-b'));
    const made = await cores[0]!.core.operations.installation(null, (installation) =>
      createProject(installation, { name: 'Shared' }),
    );
    project = made.id;
    gateways.push(await startedGateway('gateway-a', 'core-a'), await startedGateway('gateway-b', 'core-b'));
    for (const index of [0, 1])
      await eventually(
        () => fetchOnce(`${urlOf(index)}/health/ready`).catch(() => undefined),
        (answer) => answer?.status === 200,
      );
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await Promise.all(cores.map((core) => core.close()));
    await relay.close();
    await database.remove();
    await rm(folder, { recursive: true });
  });

  async function regenerate(gateway: number): Promise<string> {
    const path = `/admin/projects/${project}/keys/preview-primary/regenerate`;
    const answer = await fetch(urlOf(gateway) + path, { method: 'POST', headers: ADMIN });
    expect(answer.status).to.equal(200);
    return ((await answer.json()) as { readonly key: string }).key;
  }
  async function statusWith(key: string, gateway: number): Promise<number> {
    const answer = await fetch(`${urlOf(gateway)}/preview/${project}/items`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.arrayBuffer();
    return answer.status;
  }
  const statuses = (key: string) => Promise.all([0, 1].map((gateway) => statusWith(key, gateway)));
  async function processes(gateway: number): Promise<readonly Process[]> {
    const { status, text } = await fetchOnce(`${urlOf(gateway)}/admin/processes`, ADMIN);
    expect(status).to.equal(200);
    return (JSON.parse(text) as { readonly processes: readonly Process[] }).processes;
  }

  it('report settings, figures and health at every gateway, and so do the gateways of other cores', async () => {
    interface Report {
      readonly instance: string;
      readonly settings: readonly {
        readonly path: string;
        readonly value: unknown;
        readonly origin: string;
      }[];
      readonly figures: readonly { readonly call: string; readonly calls: number }[];
      readonly health: { readonly ok: boolean };
    }
    const reports = async (gateway: number, what: 'cores' | 'gateways') => {
      const { status, text } = await fetchOnce(`${urlOf(gateway)}/admin/${what}`, ADMIN);
      expect(status).to.equal(200);
      const found = (JSON.parse(text) as Record<string, readonly Report[]>)[what]!;
      return [...found].sort((one, other) => (one.instance < other.instance ? -1 : 1));
    };
    for (const gateway of [0, 1]) {
      const found = await reports(gateway, 'cores');
      expect(found.map(({ instance }) => instance)).to.deep.equal(['core-a', 'core-b']);
      for (const { instance, settings, figures, health } of found) {
        const setting = (path: string) => settings.find((one) => one.path === path);
        expect(setting('instance')).to.include({ value: instance, origin: 'HEADWATER_INSTANCE' });
        expect(setting('internalToken')).to.include({ value: '(secret)' });
        expect(JSON.stringify(settings)).not.to.include(INTERNAL_TOKEN);
        expect(figures.reduce((sum, { calls }) => sum + calls, 0)).to.be.at.least(1);
        expect(health.ok).to.equal(true);
      }
      const names = (await reports(gateway, 'gateways')).map(({ instance }) => instance);
      expect(names).to.deep.equal(['gateway-a', 'gateway-b']);
    }
  });

  it('refuse a replaced key at every gateway from the answer on, soon', async () => {
    let key = await regenerate(0);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Both have it in their caches.
      expect(await statuses(key)).to.deep.equal([200, 200]);
      const began = performance.now();
      const next = await regenerate(round % 2);
      times.push(performance.now() - began);
      expect(await statuses(key), `round ${round}`).to.deep.equal([401, 401]);
      key = next;
    }
    times.sort((a, b) => a - b);
    // Not after the time that a gateway without contact gets.
    expect(times[Math.floor(ROUNDS / 2)]).to.be.lessThan(FEED_LOST_MS);
  });

  describe('wait for a gateway of another core', () => {
    let key: string;
    beforeEach(async () => {
      key = await regenerate(0);
      expect(await statusWith(key, 1)).to.equal(200);
      relay.holdRequests('POST /feed');
    });
    afterEach(() => relay.release());

    it('until it has the change', async () => {
      const began = performance.now();
      const answered = regenerate(0).then(() => performance.now());
      await pause(300);
      const released = performance.now();
      relay.release();
      const at = await answered;
      if (at < released) expect(at - began).to.be.above(FEED_LOST_MS);
      expect(at - began).to.be.below(FEED_LOST_MS + 3000);
      expect(await statusWith(key, 1)).to.equal(401);
    });

    it('at most until it uses nothing any more that it has cached', async () => {
      const began = performance.now();
      await regenerate(0);
      expect(performance.now() - began).to.be.within(FEED_LOST_MS, FEED_LOST_MS + 3000);
      expect(await statusWith(key, 1)).to.equal(401);
    });
  });

  it('list all processes of the installation, each once, at every gateway', async () => {
    for (const gateway of [0, 1]) {
      const listed = await eventually(
        () => processes(gateway),
        (found) => found.length === 4 && found.every((one) => one.sequence === found[0]!.sequence),
      );
      expect(listed.map(({ role, instance }) => `${role} ${instance}`)).to.have.members([
        'core core-a',
        'core core-b',
        'gateway gateway-a',
        'gateway gateway-b',
      ]);
      expect(listed[0]!.instance).to.equal(['core-a', 'core-b'][gateway]);
      for (const { version, configuration, behind_ms } of listed) {
        expect(version).to.match(/^\d/);
        expect(configuration).to.match(/^[0-9a-f]{12}/);
        expect(behind_ms).to.be.a('number');
      }
    }
  });

  it('refuse another one that belongs to another installation', async () => {
    const refusal = (more: Readonly<Record<string, string>>) =>
      startedCore('core-c', more).then(
        () => 'started',
        (error: Error) => error.message,
      );
    const other = 'a-token-of-somebody-else-0123456789abcdef';
    expect(await refusal({ HEADWATER_ADMIN_TOKEN: other }))
      .to.match(/^Another core of this installation runs with another admin token; [^\n]+\.$/)
      .and.not.include(other);
    expect(await refusal({ HEADWATER_VENDOR_MEDIA_TYPE: 'other' })).to.match(
      /^Another core of this installation runs with [^\n]+\.$/,
    );
    expect(await statusWith(await regenerate(0), 1)).to.equal(200);
  });

  longTest('know a gateway from its first answer on', async () => {
    const key = await regenerate(0);
    for (let round = 0; round < 3; round += 1) {
      const gateway = await startedGateway(`gateway-${round}`, 'core-b');
      gateways.push(gateway);
      const index = gateways.length - 1;
      await eventually(
        () => fetchOnce(`${urlOf(index)}/health/ready`).catch(() => undefined),
        (answer) => answer?.status === 200,
      );
      const old = await regenerate(0);
      expect(await statusWith(old, index)).to.equal(200);
      await regenerate(0);
      expect(await statusWith(old, index)).to.equal(401);
      await gateways.pop()!.close();
    }
    expect(await statusWith(key, 1)).to.equal(401);
  });

  it('wait for the gateways of a core that ended until those use nothing that they have cached', async () => {
    const key = await regenerate(0);
    expect(await statusWith(key, 1)).to.equal(200);
    await cores.pop()!.close();
    const began = performance.now();
    await regenerate(0);
    expect(performance.now() - began).to.be.below(FEED_LOST_MS + 3000);
    expect(await statusWith(key, 1)).to.not.equal(200);
    const listed = (await processes(0)).map(({ instance }) => instance);
    expect(listed).to.deep.equal(['core-a', 'gateway-a']);
    cores.push(await startedCore('core-b'));
    await eventually(
      () => fetchOnce(`${urlOf(1)}/health/ready`).catch(() => undefined),
      (answer) => answer?.status === 200,
    );
    expect(await statusWith(key, 1)).to.equal(401);
    await eventually(
      () => processes(0),
      (found) => found.length === 4,
    );
  });
});
