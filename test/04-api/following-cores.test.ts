/** Two cores on one PostgreSQL database behind two gateways: what one of them changed, all of them show. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../config/load-config.ts';
import { newCallTiming } from '../../core/contract.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { type RunningCoreRole, startCore } from '../../gateway/roles/core.ts';
import { startGateway } from '../../gateway/roles/gateway.ts';
import { plugins } from '../../plugins/registry.ts';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import { endFollowers } from '../support/database/end-followers.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import type { TestDatabase } from '../support/database/test-database.ts';
import { hasAllTests, isLongForm } from '../support/long-form.ts';
import { HARBOUR } from '../support/projects/harbour-project.ts';
import type { Single } from '../support/projects/harbour-service.ts';
import { type ManageClient, manageClient, managementKey } from '../support/projects/manage-service.ts';
import { readTagged } from '../support/projects/tagged-answers.ts';
import { TwinProject } from '../support/random/twin-project.ts';
import { ADMIN_TOKEN } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

/** Every second round, the cores learn of the change late. */
const ROUNDS = isLongForm ? 8 : 2;
const WAIT = { headers: { 'x-svc-wait-for-loading-new-content': 'true' } };
const VARIANT = '/items/codename/ferry/variants/codename/en-US';

if (hasAllTests)
  describe('two cores and two gateways', function () {
    this.timeout(60_000);
    let folder: string;
    let server: PostgresServer;
    let database: TestDatabase & { readonly url: string };
    const cores: RunningCoreRole[] = [];
    let gateways: readonly { readonly url: string; close(): Promise<void> }[] = [];
    let project: TwinProject;
    let delivery: readonly ApiClient[];
    let manage: readonly ManageClient[];

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'headwater-cores-'));
      server = await postgresServer();
      database = await postgresDatabase();
      const schemas = schemasOf(plugins);
      const load = (more: Readonly<Record<string, string>>) =>
        loadConfig(
          {
            environment: {
              HEADWATER_INTERNAL_TOKEN: 'a-secret-of-gateway-and-core-0123456789',
              // A core whose session of the database is ended says so.
              HEADWATER_LOG_LEVEL: 'error',
              HEADWATER_PIPELINE__OFF: 'rate-limit',
              HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
              ...more,
            },
          },
          schemas,
        );
      for (const name of ['one', 'two']) {
        const config = await load({
          HEADWATER_ROLE: 'core',
          HEADWATER_DATA_DIR: join(folder, name),
          HEADWATER_FILES_DIR: join(folder, 'files'),
          HEADWATER_DATABASE_URL: database.url,
          HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
          HEADWATER_LISTEN: '127.0.0.1:0',
        });
        cores.push(await startCore(config));
      }
      const config = await load({
        HEADWATER_ROLE: 'gateway',
        HEADWATER_PORT: '0',
        HEADWATER_TLS_PORT: '0',
        HEADWATER_CORES: cores.map(({ address }) => address).join(),
      });
      const started = [await startGateway({ config, plugins }), await startGateway({ config, plugins })];
      gateways = started.map((one) => ({ url: one.urls.http, close: () => one.close() }));
      project = await TwinProject.create(cores[0]!.core, 'Harbour', config.settings.vendor.mediaType);
      for (const batch of HARBOUR) await project.apply(batch);
      const { key } = await managementKey(cores[1]!.core, project.id);
      delivery = gateways.map(({ url }) =>
        createApiClient(`${url}/delivery/${project.id}`, { surface: 'delivery' }),
      );
      manage = gateways.map(({ url }) => manageClient(`${url}/manage/v2/projects/${project.id}`, key));
    });
    after(async () => {
      for (const { close } of gateways) await close();
      for (const { close } of cores) await close();
      await database.remove();
      await rm(folder, { recursive: true });
    });

    const titleOf = ({ body }: { readonly body: Single }) => body.item.elements['title']?.value;

    /** @returns the sequence that the answer carries */
    async function publish(gateway: ManageClient, title: string): Promise<string> {
      await gateway.put(`${VARIANT}/new-version`);
      const elements = [{ element: { codename: 'title' }, value: title }];
      expect((await gateway.put(VARIANT, { elements })).status).to.be.within(200, 201);
      const { status, headers } = await gateway.put(`${VARIANT}/publish`);
      expect(status).to.equal(204);
      return headers.get('x-svc-content-sequence') ?? '';
    }

    it('show what was published through the other gateway, with the wait header or its sequence', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const title = `Round ${round}`;
        // Both hold an answer that has to be confirmed or replaced.
        for (const gateway of delivery) await gateway.get<Single>('/items/ferry');
        // The cores learn of the change late.
        if (round % 2 === 1) await endFollowers(server, new URL(database.url).pathname.slice(1));
        const sequence = await publish(manage[round % 2]!, title);
        const required = { headers: { 'x-svc-content-sequence': sequence } };
        const answers = await Promise.all(
          delivery.flatMap((gateway) => [
            gateway.get<Single>('/items/ferry', WAIT),
            gateway.get<Single>('/items/ferry', WAIT),
            gateway.get<Single>('/items/ferry?depth=0', required),
            gateway.get<Single>('/items/ferry?elements=title', required),
          ]),
        );
        expect(answers.map(titleOf)).to.deep.equal(answers.map(() => title));
      }
    });

    it('remember pages until the other core has changed them', async () => {
      const listing = {
        channel: 'published',
        path: `/${project.id}/items`,
        query: 'system.codename=ferry',
      } as const;
      for (let round = 0; round < ROUNDS; round++) {
        for (const { core } of cores) {
          const timings = [];
          for (let time = 0; time < 3; time++) {
            const timing = newCallTiming();
            expect((await readTagged(core, listing, { atLeast: 'now', timing })).status).to.equal(200);
            timings.push(timing.database);
          }
          expect(timings[2]).to.equal(0);
        }
        if (round % 2 === 1) await endFollowers(server, new URL(database.url).pathname.slice(1));
        const title = `Listed ${round}`;
        const sequence = Number(await publish(manage[round % 2]!, title));
        for (const atLeast of [sequence, 'now'] as const) {
          const answers = await Promise.all(cores.map(({ core }) => readTagged(core, listing, { atLeast })));
          for (const { text } of answers) expect(text).to.contain(title);
        }
      }
    });

    it('show a change to plain reads within the bound', async () => {
      await publish(manage[0]!, 'Soon');
      const published = performance.now();
      await until(async () => {
        const answers = await Promise.all(delivery.map((one) => one.get<Single>('/items/ferry')));
        return answers.every((one) => titleOf(one) === 'Soon');
      });
      expect(performance.now() - published).to.be.below(2000);
    });

    it('confirm an answer that a gateway holds only where no core has changed it', async () => {
      const ferry = { channel: 'published', path: `/${project.id}/items/ferry`, query: '' } as const;
      for (let round = 0; round < ROUNDS; round++) {
        const asked = cores[round % 2]!;
        const before = await readTagged(asked.core, ferry, { atLeast: 'now' });
        const known = { tags: before.tags ?? [], sequence: before.sequence ?? 0 };
        const unchanged = await readTagged(asked.core, ferry, { known, atLeast: 'now' });
        expect(unchanged.status).to.equal(304);
        expect(unchanged.sequence).to.be.at.least(known.sequence);
        await endFollowers(server, new URL(database.url).pathname.slice(1));
        const sequence = await publish(manage[0]!, `Known ${round}`);
        for (const atLeast of ['now', Number(sequence)] as const) {
          const after = await readTagged(asked.core, ferry, { known, atLeast });
          expect(after.status).to.equal(200);
          expect(after.text).to.contain(`Known ${round}`);
          expect(after.sequence).to.be.at.least(Number(sequence));
        }
      }
    });

    it('show what one of them restored', async () => {
      const copy = join(folder, 'copy');
      await publish(manage[0]!, 'Kept');
      await cores[0]!.core.operations.storage.copyTo(copy);
      await publish(manage[1]!, 'Lost');
      for (const one of delivery)
        expect(titleOf(await one.get<Single>('/items/ferry', WAIT))).to.equal('Lost');
      await cores[0]!.core.operations.storage.replaceWith(copy);
      const answers = await Promise.all(delivery.map((one) => one.get<Single>('/items/ferry', WAIT)));
      expect(answers.map(titleOf)).to.deep.equal(['Kept', 'Kept']);
      await until(async () => {
        const plain = await Promise.all(delivery.map((one) => one.get<Single>('/items/ferry')));
        return plain.every((one) => titleOf(one) === 'Kept');
      });
      await publish(manage[1]!, 'After');
      for (const one of delivery)
        expect(titleOf(await one.get<Single>('/items/ferry', WAIT))).to.equal('After');
    });
  });
