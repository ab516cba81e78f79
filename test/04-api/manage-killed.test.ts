import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { dumpReadSide, recompileAll } from '../support/killed/read-side-dump.ts';
import { isLongForm } from '../support/long-form.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { openCore } from '../support/service/open-core.ts';

const KILLS = isLongForm ? 100 : 2;
/** Until the kill, ms. A core connects to PostgreSQL before its first write. */
const LONGEST_RUN = process.env['HEADWATER_TEST_DATABASE'] === 'postgres' ? 599 : 119;
const WRITERS = join(import.meta.dirname, '../support/killed/writers.mjs');

interface State {
  readonly latest: string | null;
  readonly published: string | null;
}
interface Line {
  readonly ready?: true;
  readonly item?: string;
  readonly state?: State;
  readonly done?: true;
}

/** What is known of an item: the state of the last call that was answered, and of one that may have been. */
interface Known {
  answered?: State;
  underWay?: State;
}

describe('a process that is killed while it writes', function () {
  this.timeout(120_000 + KILLS * 30_000);
  let folder: string;
  let database: TestDatabase;
  let project: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-killed-'));
    database = await testDatabase();
    const core = await open();
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
    await core.close();
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await database.remove();
  });

  function open(): Promise<RunningCore> {
    return openCore({
      dataDir: folder,
      databaseUrl: database.url,
    });
  }

  /** Lets four writers write for so many milliseconds. */
  async function writeUntilKilled(round: number, milliseconds: number): Promise<Map<string, Known>> {
    const known = new Map<string, Known>();
    const child = spawn(process.execPath, [WRITERS, folder, project, `${round}`], {
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
      if (line?.item === undefined) continue;
      const item = known.get(line.item) ?? {};
      if (line.state) known.set(line.item, { ...item, underWay: line.state });
      else if (item.underWay) known.set(line.item, { answered: item.underWay });
    }
    await ended;
    expect(isKilled, 'it wrote until it was killed').to.equal(true);
    return known;
  }

  const seed = testSeed();
  it(`has every acknowledged write completely after each of ${KILLS} kills at random points, seed ${seed}`, async () => {
    const random = new Random(seed);
    let answered = 0;
    const everything = new Map<string, State>();
    let longest = LONGEST_RUN;
    // More, and later, on a machine that writes less before a kill.
    for (let round = 0; round < KILLS || (answered <= KILLS && round < 3 * KILLS); round++) {
      const milliseconds = random.int(0, longest);
      const known = await writeUntilKilled(round, milliseconds);
      if (milliseconds > longest / 2 && ![...known.values()].some((item) => item.answered))
        longest = Math.min(2 * longest, 8 * LONGEST_RUN);
      const core = await open();
      try {
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
        expect(await wrongBlocks(core.operations.storage.sql)).to.deep.equal([]);
      } finally {
        await core.close();
      }
    }
    expect(answered, 'items with an acknowledged write').to.be.greaterThan(KILLS);
    const core = await open();
    for (const [item, state] of everything) expect(await read(core, item), item).to.deep.equal(state);
    await core.close();
  });

  /** Undefined: there is no such item. */
  async function read(core: RunningCore, externalId: string): Promise<State | undefined> {
    const manage = (path: string) =>
      ask(core, 'manage', `/v2/projects/${project}/items/external-id/${externalId}${path}`);
    const item = await manage('');
    if (!item) return undefined;
    const variant = await manage('/variants/codename/default');
    const delivered = await ask(core, 'delivery', `/${project}/items/${item['codename']}`);
    const elements = variant?.['elements'] as { value: string | null }[] | undefined;
    const shown = delivered?.['item'] as { elements: { title: { value: string } } } | undefined;
    return { latest: elements?.[0]?.value ?? null, published: shown?.elements.title.value ?? null };
  }
});

function readLine(text: string): Line | undefined {
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
