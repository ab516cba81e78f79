import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { dumpReadSide, recompileAll } from '../support/killed/read-side-dump.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { runCommand } from '../support/service/run-command.ts';
import { HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';
import { namespace } from '../support/service/small-disk.ts';
import { until } from '../support/until.ts';

const KILLS = isLongForm ? 30 : 1;

/** A load that ends early leaves whole items, and another call makes the rest. */
describe('a generation that is ended early', () => {
  let folder: string;
  let environment: Record<string, string>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-generate-'));
    environment = { ...IN_PLACE, HEADWATER_DATA_DIR: join(folder, 'data') };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const generate = (project: string, items: number) => [
    'generate',
    '--items',
    String(items),
    '--project',
    project,
  ];

  /**
   * Checks that all that is there is complete.
   * @param compiles every item again, and compares
   * @returns the number of items
   */
  async function itemsIn(dataDir: string, project: string, compiles = true): Promise<number> {
    const core = await openCore({
      dataDir,
      log: SILENT,
    });
    try {
      const { sql } = core.operations.storage;
      await core.operations.settled();
      if (compiles) {
        const kept = await dumpReadSide(sql);
        await recompileAll(core, project);
        expect(kept).to.deep.equal(await dumpReadSide(sql));
      }
      expect(await wrongBlocks(sql)).to.deep.equal([]);
      const count = async (from: string) =>
        (await sql.get<{ count: number }>(`SELECT count(*) AS count FROM ${from}`))?.count ?? 0;
      const items = await count('item');
      for (const from of ['variant', 'version', 'document', 'listed'])
        expect(await count(from), from).to.equal(items);
      expect(await count(`change WHERE type = 'content_item' AND operation = 'create'`)).to.equal(items);
      return items;
    } finally {
      await core.close();
    }
  }

  const seed = testSeed();
  it(`by ${KILLS} ${KILLS === 1 ? 'kill' : 'kills'} has every item that it reported completely, seed ${seed}`, async () => {
    const random = new Random(seed);
    const { out } = await runCommand(['generate', '--items', '10'], environment);
    const { project_id: project } = JSON.parse(out) as { project_id: string };
    let before = 10;
    for (let round = 0; round < KILLS; round++) {
      const running = new HeadwaterProcess(generate(project, 1_000_000), environment);
      await until(() => / items, /.test(running.err));
      await pause(random.int(0, 300));
      running.signal('SIGKILL');
      const reported = [...(await running.ended).err.matchAll(/(\d+) of 1000000 items/g)].at(-1);
      // What an earlier kill left is compiled again at the end.
      const items = await itemsIn(join(folder, 'data'), project, isLongForm);
      expect(items, `round ${round}`).to.be.at.least(before + Number(reported?.[1]));
      expect((items - before) % 400, `round ${round}`).to.equal(0);
      before = items;
    }
    expect((await runCommand(generate(project, 5), environment)).code).to.equal(0);
    expect(await itemsIn(join(folder, 'data'), project)).to.equal(before + 5);
  });

  /** Cancels a generation. @returns the project and how many items it has, as said, before the reason */
  async function cancelled(reason: string): Promise<{ readonly project: string; readonly done: number }> {
    const running = new HeadwaterProcess(['generate', '--items', '1000000'], environment);
    await until(() => / items, /.test(running.err));
    running.signal('SIGINT');
    const { code, err } = await running.ended;
    expect(code).to.equal(1);
    const [, done, rest, project = '', said] =
      /^(\d+) of 1000000 items were generated; 'headwater generate --items (\d+) --project (\S+)' makes the rest\.\nheadwater: (.*)\n$/m.exec(
        err,
      ) ?? [];
    expect(Number(done) + Number(rest), err).to.equal(1_000_000);
    expect(said).to.equal(reason);
    return { project, done: Number(done) };
  }

  it('by Ctrl-C says how to continue', async () => {
    const { project, done } = await cancelled('The command was ended by SIGINT.');
    // In the short form the test of kills alone compiles again and compares.
    expect(await itemsIn(join(folder, 'data'), project, isLongForm)).to.equal(done);
  });

  longTest('by Ctrl-C says how to continue where a running service does it, which goes on', async () => {
    const service = new HeadwaterProcess(['serve'], {
      ...environment,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
    });
    await until(() => /Headwater is running/.test(service.out));
    const { project } = await cancelled('The command was cancelled.');
    expect((await runCommand(['project', 'list'], environment)).out).to.contain(project);
    service.signal('SIGINT');
    expect((await service.ended).code).to.equal(0);
  });

  longTest('by a full disk says how far it came and how to continue', async () => {
    const kept = join(folder, 'kept');
    const disk = join(folder, 'disk');
    const script = `mkdir "$0" && mount -t tmpfs -o size=12m none "$0" && "$@"; echo "ended with $?"; cp -r "$0/data" "${kept}"`;
    const ended = await new HeadwaterProcess(
      ['generate', '--items', '100000'],
      { ...IN_PLACE, HEADWATER_DATA_DIR: join(disk, 'data') },
      ['unshare', ...(await namespace()), 'sh', '-c', script, disk],
    ).ended;
    expect(ended.out).to.equal('ended with 1\n');
    const said =
      /^(\d+) of 100000 items were generated; 'headwater generate --items (\d+) --project (\S+)' makes the rest\.\nheadwater: The disk.* is full.*\n$/m.exec(
        ended.err,
      );
    const [, done = '', rest, project = ''] = said ?? [];
    expect(Number(done) + Number(rest), ended.err).to.equal(100_000);
    environment = { ...IN_PLACE, HEADWATER_DATA_DIR: kept };
    expect(await itemsIn(kept, project)).to.equal(Number(done));
    expect((await runCommand(generate(project, 405), environment)).code).to.equal(0);
    expect(await itemsIn(kept, project)).to.equal(Number(done) + 405);
  });
});
