import {
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { longTest } from '../support/long-form.ts';
import { SmallFolder } from '../support/programs/small-folder.ts';
import { runCommand, ServiceHere } from '../support/service/run-command.ts';
import { HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

describe('the command line: export, import, backup, restore', function () {
  this.slow(5000);
  let folder: string;
  let environment: Record<string, string>;
  let service: ServiceHere | undefined;
  const run = (...words: string[]) => runCommand(words, environment);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-cli-'));
    environment = {
      HEADWATER_DATA_DIR: join(folder, 'data'),
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
    };
  });
  afterEach(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('copies a project from a running service to another data folder; repeating changes nothing', async () => {
    const made = await run('generate', '--items', '60');
    const { project_id } = JSON.parse(made.out) as { project_id: string };
    const archive = join(folder, 'project.tar');
    // The process of the service writes the archive: as the program sets it, for its user only.
    const running = new HeadwaterProcess(['serve'], { ...environment, ...IN_PLACE });
    await running.printed(/http:\/\/\S+/);
    const exported = await run('export', '--project', project_id, '--to', archive);
    running.signal('SIGTERM');
    await running.ended;
    expect({ code: exported.code, err: exported.err.replace(/^\d.*\n/gm, '') }).to.deep.equal({
      code: 0,
      err: '',
    });
    expect(JSON.parse(exported.out)).to.include({ project_id, file: archive, items: 60 });
    expect(statSync(archive).mode & 0o077).to.equal(0);
    expect(readdirSync(folder)).to.deep.equal(['data', 'project.tar']);

    environment['HEADWATER_DATA_DIR'] = join(folder, 'other');
    for (const times of [1, 2]) {
      const imported = await run('import', '--from', archive);
      expect(imported.code, imported.err).to.equal(0);
      expect(JSON.parse(imported.out), String(times)).to.include({ project_id, items: 60 });
    }
    expect((await run('project', 'list')).out).to.include(project_id);
  });

  it('backs up and restores a running service, and replaces data only with the option', async () => {
    const first = JSON.parse((await run('project', 'create', '--name', 'First')).out) as { id: string };
    service = new ServiceHere(environment);
    const [url] = await service.printed(/http:\/\/[\d.:]+/);
    const status = async (project: string) => (await fetch(`${url}/delivery/${project}/items`)).status;
    const place = join(folder, 'backup');
    const backup = await run('backup', '--to', place);
    expect(backup.code, backup.err).to.equal(0);
    expect(JSON.parse(backup.out)).to.include({ folder: place, files: 0 });
    expect(statSync(place).mode & 0o077).to.equal(0);
    const second = JSON.parse((await run('project', 'create', '--name', 'Second')).out) as { id: string };
    expect([await status(first.id), await status(second.id)]).to.deep.equal([200, 200]);
    expect((await run('restore', '--from', place)).code).to.equal(2);
    const restored = await run('restore', '--from', place, '--replace');
    expect(restored.code, restored.err).to.equal(0);
    expect([await status(first.id), await status(second.id)]).to.deep.equal([200, 404]);
    expect((await service.stop()).code).to.equal(0);

    environment['HEADWATER_DATA_DIR'] = join(folder, 'other');
    expect((await run('restore', '--from', place)).code).to.equal(0);
    expect((await run('project', 'list')).out).to.include(first.id);
  });

  longTest('leaves nothing of an export or a backup that a signal ends', async () => {
    const { project_id } = JSON.parse((await run('generate', '--items', '2000')).out) as {
      project_id: string;
    };
    for (const [words, begun] of [
      [
        ['export', '--project', project_id, '--to', join(folder, 'project.tar')],
        /^project\.tar\..*\.unfinished$/,
      ],
      [['backup', '--to', join(folder, 'backup')], /^backup\.unfinished$/],
    ] as const) {
      const running = new HeadwaterProcess(words, environment);
      await until(() => readdirSync(folder).some((name) => begun.test(name)));
      // As npm sends it.
      running.signal('SIGINT');
      running.signal('SIGINT');
      const { code, err } = await running.ended;
      expect(err).to.match(/^headwater: The command was ended by SIGINT\.$/m);
      expect(code).to.equal(1);
      expect(readdirSync(folder)).to.deep.equal(['data']);
    }
  });

  it('records the commands that write, export or back up', async () => {
    const { id } = JSON.parse((await run('project', 'create', '--name', 'Watched')).out) as { id: string };
    await run('key', 'create', '--project', id, '--kind', 'delivery');
    const [listed] = JSON.parse((await run('project', 'list', '--json')).out) as object[];
    expect(listed).to.deep.include({ id, secure_access: true, management_api: false, archived: null });
    const archive = join(folder, 'watched.tar');
    expect((await run('export', '--project', id, '--to', archive)).code).to.equal(0);
    expect((await run('backup', '--to', join(folder, 'watched'))).code).to.equal(0);
    const unknown = '6f3a1c62-0000-4000-8000-000000000000';
    expect((await run('export', '--project', unknown, '--to', archive)).code).to.equal(1);
    environment['HEADWATER_ADMIN_TOKEN'] = 'a-token-for-tests-only-0123456789abcdef';
    service = new ServiceHere(environment);
    const [url] = await service.printed(/http:\/\/[\d.:]+/);
    const headers = { authorization: `Bearer ${environment['HEADWATER_ADMIN_TOKEN']}` };
    const answer = await fetch(`${url}/admin/audit`, { headers });
    const { audit } = (await answer.json()) as {
      audit: { act: string; project: string | null; actor: string; detail: string }[];
    };
    expect(audit.map(({ act, project, actor }) => [act, project, actor])).to.deep.equal([
      ['backup', null, 'command line'],
      ['export', id, 'command line'],
      ['key create', id, 'command line'],
      ['project create', id, 'command line'],
    ]);
    expect(audit[1]?.detail).to.equal(JSON.stringify({ project: id, to: archive }));
    expect(audit[3]?.detail).to.equal('{"name":"Watched"}');
  });

  longTest(
    'names the disk that is full, which need not be that of the data, and leaves nothing there',
    async () => {
      const { out } = await run('generate', '--items', '400');
      const { project_id } = JSON.parse(out) as { project_id: string };
      const disk = await SmallFolder.make({ megabytes: 1 });
      try {
        for (const [target, ...words] of [
          ['copy', 'backup'],
          ['project.tar', 'export', '--project', project_id],
        ] as const) {
          const to = join(disk.path, target);
          const own = { ...environment, ...IN_PLACE };
          const { code, err } = await new HeadwaterProcess([...words, '--to', to], own, disk.through).ended;
          expect(code).to.equal(1);
          expect(err).to.include(`headwater: The disk of ${to} is full; free some space on it, or name a `);
          expect(readdirSync(disk.reached)).to.deep.equal([]);
        }
      } finally {
        await disk.end();
      }
    },
  );

  it('exits with 1 and a sentence, and leaves nothing partial', async () => {
    await run('project', 'create', '--name', 'Empty');
    const none = await run(
      'export',
      '--project',
      '6f3a1c62-0000-4000-8000-000000000000',
      '--to',
      join(folder, 'x.tar'),
    );
    expect(none).to.include({ code: 1, out: '' });
    expect(none.err).to.include("There is no project with the id '6f3a1c62");
    expect(readdirSync(folder)).to.deep.equal(['data']);
    const missing = join(folder, 'missing.tar');
    expect((await run('import', '--from', missing)).err).to.equal(`headwater: ${missing} is not there.\n`);
    expect((await run('import', '--from', folder)).err).to.equal(
      `headwater: ${folder} is a folder; --from names the archive.\n`,
    );
    const nowhere = join(folder, 'nowhere', 'x.tar');
    const { id } = JSON.parse((await run('project', 'create', '--name', 'Second')).out) as { id: string };
    const unwritten = await run('export', '--project', id, '--to', nowhere);
    expect(unwritten.code).to.equal(1);
    expect(unwritten.err).to.equal(
      `headwater: There is no folder ${join(folder, 'nowhere')} for the archive; make it first.\n`,
    );
    for (const taken of [folder, '/dev/null']) {
      const refused = await run('export', '--project', id, '--to', taken);
      expect(refused).to.deep.equal({
        code: 1,
        out: '',
        err: `headwater: ${taken} is no file; --to names the archive to write.\n`,
      });
    }
    expect(readdirSync(folder)).to.deep.equal(['data']);
    expect(await run('backup', '--to', '')).to.deep.include({ code: 2, out: '' });
    expect((await run('restore', '--from', missing, '--replace')).err).to.include('is no backup');
    expect((await run('import')).code).to.equal(2);

    writeFileSync(join(folder, 'real.tar'), '');
    symlinkSync('real.tar', join(folder, 'link.tar'));
    expect((await run('export', '--project', id, '--to', join(folder, 'link.tar'))).code).to.equal(0);
    expect(readlinkSync(join(folder, 'link.tar'))).to.equal('real.tar');
    expect(statSync(join(folder, 'real.tar')).size).to.be.above(0);
  });
});
