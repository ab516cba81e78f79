import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createCore, type RunningCore } from '../../core/compose/create-core.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { KilledRoles } from '../support/killed/killed-roles.ts';
import { dumpReadSide, recompileAll } from '../support/killed/read-side-dump.ts';
import { type ItemState, type WriteReport, writeItem } from '../support/killed/write-item.mjs';
import { managementKey } from '../support/manage-service.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { eventually } from '../support/role-processes.ts';
import { type TestDatabase, testDatabase } from '../support/test-database.ts';
import { testTopology } from '../support/topology.ts';

const KILLS = process.env['HEADWATER_TEST_LONG'] ? 100 : 30;
/** Until the kill, ms. A core connects to PostgreSQL before its first write. */
const LONGEST_RUN = process.env['HEADWATER_TEST_DATABASE'] === 'postgres' ? 599 : 119;
const PROCESS = join(import.meta.dirname, '../support/killed/writers.mjs');
const WRITERS = 4;
/** Until gateways reach a core that has started, ms. */
const REACHED_MS = 60_000;
const TOPOLOGY = testTopology();

/** What is known of an item: the state of the last call that was answered, and of one that may have been. */
interface Known {
  answered?: ItemState;
  underWay?: ItemState;
}

describe('a process that is killed while it writes', function () {
  this.timeout(KILLS * 10_000);
  let folder: string;
  let database: TestDatabase;
  let project: string;
  /** With HEADWATER_TEST_TOPOLOGY the cores are killed, and the calls go through gateways. */
  let roles: KilledRoles | undefined;
  let key: string;

  before(async () => {
    roles = TOPOLOGY && (await KilledRoles.open(TOPOLOGY));
    folder = roles?.folder ?? (await mkdtemp(join(tmpdir(), 'headwater-killed-')));
    database = roles?.database ?? (await testDatabase());
    await withCore(makeProject);
  });
  after(async () => {
    if (roles) return roles.close();
    await rm(folder, { recursive: true, force: true });
    await database.remove();
  });

  async function makeProject(core: RunningCore): Promise<void> {
    project = (await core.operations.installation(null, (to) => createProject(to, { name: 'Killed' }))).id;
    await core.operations.inProject(project, null, async (transaction) => {
      await createType(transaction, {
        name: 'Piece',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'modular_content', name: 'Links' },
        ],
      });
      await createItem(transaction, { name: 'Anchor', type: { codename: 'piece' }, external_id: 'anchor' });
    });
    ({ key } = await managementKey(core, project));
  }

  async function withCore<T>(work: (core: RunningCore) => Promise<T>): Promise<T> {
    if (roles) return roles.withCore(work);
    const core = await open();
    return work(core).finally(() => core.close());
  }

  function open(): Promise<RunningCore> {
    const log = {
      info() {},
      warn() {},
      error: (fields: object, text: string) => console.error(text, fields),
    };
    return createCore({
      dataDir: folder,
      databaseUrl: database.url,
      vendor: { header: ['SVC'], mediaType: 'service' },
      log,
    });
  }

  function note(known: Map<string, Known>, { item: name, state, done }: WriteReport): void {
    const item = known.get(name) ?? {};
    if (state) known.set(name, { ...item, underWay: state });
    else if (done && item.underWay) known.set(name, { answered: item.underWay });
  }

  /** Lets four writers write through gateways, and kills the cores one after another. */
  async function writeUntilCoresAreKilled(round: number, random: Random): Promise<Map<string, Known>> {
    const known = new Map<string, Known>();
    const cores = await roles!.start();
    let isOver = false;
    let calls = 0;
    const call = async (method: string, path: string, body?: unknown) => {
      const { status } = await request(method, `/manage/v2/projects/${project}${path}`, calls++, body);
      if (status >= 300) throw new Error(`${method} ${path} answered ${status}.`, { cause: status });
    };
    for (const gateway of roles!.urls.keys()) await reached(`/delivery/${project}/types`, gateway);
    const write = async (writer: number) => {
      for (let number = 0; !isOver; number += 1) {
        await writeItem({
          item: `r${round}-w${writer}-${number}`,
          round,
          call,
          report: (report) => note(known, report),
        }).catch((error: Error) => {
          if (Number(error.cause) < 500) throw error;
        });
        await setTimeout(20);
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    for (const core of cores) {
      await Promise.race([setTimeout(random.int(0, LONGEST_RUN)), writing]);
      core.signal('SIGKILL');
      await core.ended;
    }
    isOver = true;
    await writing;
    return known;
  }

  /** Lets four writers write in a process until it is killed. */
  async function writeUntilKilled(round: number, random: Random): Promise<Map<string, Known>> {
    if (roles) return writeUntilCoresAreKilled(round, random);
    const milliseconds = random.int(0, LONGEST_RUN);
    const known = new Map<string, Known>();
    const child = spawn(process.execPath, [PROCESS, folder, project, `${round}`], {
      env: { ...process.env, ...(database.url && { HEADWATER_DATABASE_URL: database.url }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let isKilled = false;
    for await (const text of createInterface({ input: child.stdout })) {
      // The last line may be half a one.
      const line = readLine(text);
      if (line?.ready)
        void setTimeout(milliseconds).then(() => {
          isKilled = child.kill('SIGKILL');
        });
      if (line?.item !== undefined) note(known, line);
    }
    await ended;
    expect(isKilled, 'it wrote until it was killed').to.equal(true);
    return known;
  }

  const seed = testSeed();
  it(`has every acknowledged write completely after each of ${KILLS} kills at random points, seed ${seed}`, async () => {
    const random = new Random(seed);
    let answered = 0;
    const everything = new Map<string, ItemState>();
    // More on a machine that writes less before a kill.
    for (let round = 0; round < KILLS || (answered <= KILLS && round < 3 * KILLS); round++) {
      const known = await writeUntilKilled(round, random);
      await withCore(async (core) => {
        await database.check(core.operations.storage);
        for (const [item, { answered: before, underWay }] of known) {
          const state = await read(core, item);
          const possible = [before, underWay].filter((one) => one !== undefined);
          if (before === undefined && state === undefined) continue;
          expect(possible, `round ${round}, ${item}`).to.deep.include(state);
          everything.set(item, state!);
          answered += before ? 1 : 0;
        }
        await core.operations.settled();
        const kept = await dumpReadSide(core.operations.storage.sql);
        await recompileAll(core, project);
        expect(kept).to.deep.equal(await dumpReadSide(core.operations.storage.sql));
      });
    }
    expect(answered, 'items with an acknowledged write').to.be.greaterThan(KILLS);
    await withCore(async (core) => {
      for (const [item, state] of everything) expect(await read(core, item), item).to.deep.equal(state);
    });
  });

  /** Undefined: there is no such item. */
  async function read(core: RunningCore, externalId: string): Promise<ItemState | undefined> {
    const manage = (path: string) =>
      get(core, 'manage', `/v2/projects/${project}/items/external-id/${externalId}${path}`);
    const item = await manage('');
    if (!item) return undefined;
    const variant = await manage('/variants/codename/default');
    const delivered = await get(core, 'delivery', `/${project}/items/${item['codename']}`);
    const elements = variant?.['elements'] as { value: string | null }[] | undefined;
    const shown = delivered?.['item'] as { elements: { title: { value: string } } } | undefined;
    return { latest: elements?.[0]?.value ?? null, published: shown?.elements.title.value ?? null };
  }

  async function get(
    core: RunningCore,
    surface: 'manage' | 'delivery',
    path: string,
  ): Promise<Record<string, unknown> | undefined> {
    if (!roles) return ask(core, surface, path);
    const answer = await reached(`/${surface}${path}`, path.length);
    if (answer.status === 404) return undefined;
    expect(answer.status, path).to.equal(200);
    return answer.body;
  }

  /** The answer of a gateway once it reaches a core. */
  function reached(path: string, number: number) {
    return eventually(
      () => request('GET', path, number),
      ({ status }) => status < 500,
      REACHED_MS,
    );
  }

  /** @param number of the call: each goes to the next gateway */
  async function request(method: string, path: string, number: number, body?: unknown) {
    const { urls } = roles!;
    const response = await fetch(`${urls[number % urls.length]}${path}`, {
      method,
      headers: {
        ...(path.startsWith('/manage') && { authorization: `Bearer ${key}` }),
        'x-svc-wait-for-loading-new-content': 'true',
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  }
});

function readLine(text: string): (WriteReport & { readonly ready?: true }) | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function ask(
  core: RunningCore,
  surface: 'manage' | 'delivery',
  path: string,
): Promise<Record<string, unknown> | undefined> {
  const answer = await core
    .handle({
      surface,
      method: 'GET',
      path,
      query: '',
      headers: {},
      bases: { self: `http://localhost/${surface}`, assets: 'http://localhost/assets' },
      principal: { kind: 'anonymous' },
      requestId: 'killed',
    })
    .catch((error: { status?: number }) => {
      if (error.status === 404) return undefined;
      throw error;
    });
  if (!answer) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
