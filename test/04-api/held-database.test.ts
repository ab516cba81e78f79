/** A gateway and a core over HTTP, and a relay that passes nothing between the core and a real PostgreSQL. */
import '../support/database/postgres-programs.ts';
import { expect } from 'chai';
import type { ServiceError } from '../../core/contract.ts';
import { type ApiAnswer, createApiClient } from '../support/clients/api-client.ts';
import { postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import type { TestDatabase } from '../support/database/test-database.ts';
import { coreRequest } from '../support/gateway/remote-core.ts';
import { hasAllTests } from '../support/long-form.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { type ManageService, managementKey, startManage } from '../support/projects/manage-service.ts';
import { shortenDeadlines } from '../support/service/shorten-deadlines.ts';

/** Reads of one statement and of many, with the model and without. */
const OF_ADMIN = ['', '/usage', '/keys', '/sitemap', '/webhooks', '/preview-urls'];
const OF_MANAGEMENT = [
  '/items',
  '/items/codename/harbour/variants',
  '/types/codename/article',
  '/types/codename/article/variants',
  '/languages',
  '/assets',
  '/workflow',
];
/** Longest time of a call: two look-ups of the gateway, and the read in core. */
const LONGEST_MS = 18_000;
const BUSY = { status: 503, retryAfter: '1', message: 'The service is busy; try again in a moment.' };
/** Of the gateway, where it cannot find out whose a token or key is. */
const UNKNOWN = {
  status: 503,
  retryAfter: '1',
  message: 'The service cannot answer at the moment; try again shortly.',
};

interface End {
  readonly status: number;
  readonly retryAfter?: string | null;
  readonly message?: string;
}

const endOf = ({ status, headers, body }: ApiAnswer<{ readonly message?: string }>): End =>
  status === 200 ? { status } : { status, retryAfter: headers.get('retry-after'), message: body.message };

if (hasAllTests)
  describe('while a relay holds the connections to PostgreSQL', () => {
    let database: TestDatabase & { readonly url: string };
    let relay: Relay;
    let harbour: ManageService;

    before(async () => {
      const server = await postgresServer();
      database = await postgresDatabase();
      relay = await startRelay(server.port);
      const url = new URL(server.tcpUrl(new URL(database.url).pathname.slice(1)));
      url.port = `${relay.port}`;
      harbour = await startManage({
        isOverHttp: true,
        environment: {
          HEADWATER_DATABASE_URL: url.href,
          // The relay in front of the gateway asks the database otherwise.
          HEADWATER_PLUGINS__RESPONSE_CACHE__STALE_MILLISECONDS: '1',
        },
      });
    });
    after(async () => {
      relay.release();
      await harbour.stop();
      await relay.close();
      await database.remove();
    });
    afterEach(() => relay.release());

    /** Calls all at once: before, while nothing is passed, and again. @returns how they ended meanwhile */
    async function heldAndReleased(
      calls: readonly string[],
      send: (call: string) => Promise<End>,
    ): Promise<readonly End[]> {
      const served = calls.map(() => ({ status: 200 }));
      expect(await Promise.all(calls.map(send))).to.deep.equal(served);
      relay.hold();
      // Not those of new connections to the database.
      const restore = shortenDeadlines(10_000);
      const began = performance.now();
      const ends = await Promise.all(calls.map(send)).finally(restore);
      expect(performance.now() - began).to.be.below(LONGEST_MS);
      relay.release();
      expect(await Promise.all(calls.map(send))).to.deep.equal(served);
      return ends;
    }

    it('core ends each read of the admin API at its deadline', async () => {
      const { service, project } = harbour;
      const ends = await heldAndReleased(OF_ADMIN, (path) =>
        service.core
          .handle(
            coreRequest({
              surface: 'admin',
              path: `/projects/${project.id}${path}`,
              principal: { kind: 'admin' },
            }),
          )
          .then(
            ({ status }) => ({ status }),
            ({ status, headers, message }: ServiceError) => ({
              status,
              retryAfter: headers['retry-after'] ?? null,
              message,
            }),
          ),
      );
      expect(ends).to.deep.equal(OF_ADMIN.map(() => BUSY));
    });

    it('each read of the management API ends at its deadline', async () => {
      const read = async (path: string) => endOf(await harbour.v2.get(path));
      const ends = await heldAndReleased(OF_MANAGEMENT, read);
      expect(ends).to.deep.equal(OF_MANAGEMENT.map(() => BUSY));
    });

    it('each call whose token or key has to be looked up ends at the deadline of that', async () => {
      const { service, project } = harbour;
      const { key } = await managementKey(service.core, project.id);
      const read = async (surface: 'admin' | 'manage/v2', token: string, path: string) => {
        const client = createApiClient(`${service.url}/${surface}/projects/${project.id}`, {
          surface: surface === 'admin' ? 'admin' : 'manage',
          headers: { authorization: `Bearer ${token}` },
        });
        return endOf(await client.get(path));
      };
      const both = () =>
        Promise.all([read('admin', service.adminToken, '/keys'), read('manage/v2', key, '/languages')]);
      relay.hold();
      const began = performance.now();
      expect(await both()).to.deep.equal([UNKNOWN, UNKNOWN]);
      expect(performance.now() - began).to.be.below(LONGEST_MS);
      relay.release();
      expect(await both()).to.deep.equal([{ status: 200 }, { status: 200 }]);
    });
  });
