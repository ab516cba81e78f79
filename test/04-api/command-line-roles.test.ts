import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { longTest } from '../support/long-form.ts';
import { runCommand, ServiceHere } from '../support/service/run-command.ts';

const TOKEN = 'a-secret-of-gateways-and-cores-0123456789';

describe('the command line of one role', function () {
  this.slow(3000);

  let folder: string;
  let service: ServiceHere | undefined;
  const run = (command: string, environment: Record<string, string>) =>
    runCommand(command.split(' '), { HEADWATER_DATA_DIR: join(folder, 'data'), ...environment });
  const gateway = (cores: string) => ({
    HEADWATER_ROLE: 'gateway',
    HEADWATER_CORES: cores,
    HEADWATER_INTERNAL_TOKEN: TOKEN,
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-roles-'));
  });
  afterEach(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  it('checks a gateway: pipeline, addresses of its cores, and what it cannot check', async () => {
    const socket = join(folder, 'core.sock');
    const { code, out, err } = await run('check', gateway(`localhost:8091,unix:${socket}`));
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out)
      .to.match(/^delivery +request-id → .* → core-proxy$/m)
      .and.to.match(/^core localhost:8091 +(127\.0\.0\.1|::1).*, port 8091$/m)
      .and.to.match(/^core unix:\S+ +its core does not run at present$/m)
      .and.to.match(
        /^not checked +whether the cores answer, and whether they have the same internalToken: 'headwater doctor' asks them$/m,
      )
      .and.not.include(TOKEN);
  });

  longTest(
    'prints a sign-in link of the public console where a core runs, or says that the address is missing',
    async () => {
      const core = {
        HEADWATER_ROLE: 'core',
        HEADWATER_INTERNAL_TOKEN: TOKEN,
        HEADWATER_LISTEN: '127.0.0.1:0',
        HEADWATER_SAMPLE: 'false',
        HEADWATER_DATA_DIR: join(folder, 'data'),
      };
      const url = 'https://content.example.org/console';
      const file = join(folder, 'headwater.yaml');
      const environment = { ...core, HEADWATER_CONFIG: folder };
      service = new ServiceHere(environment);
      await service.printed(/runs as a core/);
      const link = () => run('user sign-in-link', environment);
      expect((await link()).err).to.include('This machine does not serve the console');
      writeFileSync(file, `surfaces: {console: {publicUrl: ${url}}}\n`);
      expect((await run('reload', environment)).code).to.equal(0);
      const reloaded = await link();
      expect(reloaded.out.startsWith(`${url}/sign-in#token=`), reloaded.out).to.equal(true);
      await service.stop();
      service = new ServiceHere(environment);
      await service.printed(/runs as a core/);
      // The service knows the address, whatever the settings of the command are.
      const { out, err } = await run('user sign-in-link', core);
      expect(out.startsWith(`${url}/sign-in#token=`), out).to.equal(true);
      expect(err).to.equal('');
    },
  );

  it('has doctor greet the cores of a gateway, and name those that do not answer or have another secret', async () => {
    service = new ServiceHere({
      HEADWATER_ROLE: 'core',
      HEADWATER_INTERNAL_TOKEN: TOKEN,
      HEADWATER_LISTEN: `unix:${folder}/core.sock`,
      HEADWATER_SAMPLE: 'false',
      HEADWATER_DATA_DIR: join(folder, 'core'),
    });
    await service.printed(/runs as a core/);
    const cores = gateway(`unix:${folder}/core.sock,127.0.0.1:1`);
    const { code, out } = await run('doctor', cores);
    expect(code).to.equal(1);
    expect(out)
      .to.match(/^ok +core unix:\S+ +answers, and has the same internalToken$/m)
      .and.to.match(/^bad +core 127\.0\.0\.1:1 +The core 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/m)
      .and.not.include('image workers');
    const other = await run('doctor', { ...cores, HEADWATER_INTERNAL_TOKEN: TOKEN.toUpperCase() });
    expect(other.out).to.match(
      /^bad +core unix:\S+ +The core \S+ has another internalToken than this gateway$/m,
    );
  });

  it('has doctor refuse for a gateway what is about asset files', async () => {
    for (const option of ['--read', '--delete-orphaned']) {
      const { code, err } = await run(`doctor ${option}`, gateway('127.0.0.1:1'));
      expect(code).to.equal(2);
      expect(err).to.include(`${option} is for a core: a gateway has no asset files.`);
    }
  });

  it('has doctor say once why a remote worker is not reached', async () => {
    const { out } = await run('doctor', {
      HEADWATER_WORKERS__REMOTE: '127.0.0.1:1',
      HEADWATER_WORKERS__TOKEN: TOKEN,
    });
    expect(out).to.match(/^bad +image workers .*; at 127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1$/m);
  });

  it('has doctor make an image where a worker makes it, whatever its settings say of others', async () => {
    const { code, out } = await run('doctor', {
      HEADWATER_ROLE: 'worker',
      HEADWATER_WORKERS__REMOTE: '127.0.0.1:1',
      HEADWATER_WORKERS__TOKEN: TOKEN,
    });
    expect(out)
      .to.match(/^ok +image workers .*; on this machine, first image after/m)
      .and.not.include('image cache');
    expect(code).to.equal(0);
  });

  it('ends with 1 for a gateway whose cores cannot be found, naming each', async () => {
    const { code, err } = await run('check', gateway(`nothing.invalid:8091,unix:${folder}/none/core.sock`));
    expect(code).to.equal(1);
    expect(err.split('\n')).to.have.length(3);
    expect(err)
      .to.match(
        /^headwater: core nothing\.invalid:8091: the name nothing\.invalid cannot be resolved \(\w+\)\.$/m,
      )
      .and.to.include(`headwater: core unix:${folder}/none/core.sock: there is no folder ${folder}/none.\n`);
  });

  it('checks a core: its address and the folder of its files, but no pipeline', async () => {
    const files = join(folder, 'shared');
    mkdirSync(files);
    const core = { HEADWATER_ROLE: 'core', HEADWATER_INTERNAL_TOKEN: TOKEN, HEADWATER_FILES_DIR: files };
    const { code, out } = await run('check', { ...core, HEADWATER_LISTEN: `unix:${folder}/core.sock` });
    expect(code).to.equal(0);
    expect(out)
      .to.match(new RegExp(`^listen +unix:${folder}/core\\.sock$`, 'm'))
      .and.to.match(new RegExp(`^asset files +${files}$`, 'm'))
      .and.to.match(/^not checked +whether the address is free/m)
      .and.not.include('→');
    const wrong = await run('check', { ...core, HEADWATER_LISTEN: `unix:${folder}/none/core.sock` });
    expect(wrong).to.include({ code: 1, err: `headwater: listen: there is no folder ${folder}/none.\n` });
  });

  it('refuses a role without what it needs, for check and for serve', async () => {
    for (const command of ['check', 'serve']) {
      const missing = await run(command, { HEADWATER_ROLE: 'gateway' });
      expect(missing.code).to.equal(1);
      expect(missing.err)
        .to.include('cores must name a core, since role is gateway')
        .and.to.include('internalToken must be given, since role is gateway');
      const core = await run(command, { HEADWATER_ROLE: 'core', HEADWATER_INTERNAL_TOKEN: 'too-short' });
      expect(core.code).to.equal(1);
      expect(core.err)
        .to.include('HEADWATER_INTERNAL_TOKEN: internalToken must be 32 to 1000')
        .and.not.include('too-short');
    }
  });

  it('refuses commands on the data for a role without data, and makes no database', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    for (const command of ['migrate', 'project list']) {
      const { code, err } = await run(command, { ...gateway('localhost:8091'), HEADWATER_SAMPLE: 'false' });
      expect(code).to.equal(1);
      expect(err.split('\n')).to.deep.equal([
        'headwater: HEADWATER_SAMPLE: sample has no effect, since role is gateway',
        "headwater: A gateway keeps no content: run this command on the machine of a core, with that core's settings and data folder.",
        '',
      ]);
    }
    expect(readdirSync(data)).to.deep.equal([]);
  });

  it('explains which settings the role does not use, and the file of a secret', async () => {
    const secret = join(folder, 'secret');
    writeFileSync(secret, `${TOKEN}\n`);
    const environment = {
      HEADWATER_ROLE: 'core',
      HEADWATER_INTERNAL_TOKEN_FILE: secret,
      HEADWATER_PORT: '81',
    };
    const { code, out, err } = await run('explain', environment);
    expect(code).to.equal(0);
    expect(err).to.equal('headwater: HEADWATER_PORT: port has no effect, since role is core\n');
    expect(out)
      .to.match(/^port +81 +HEADWATER_PORT, not used by role core$/m)
      .and.to.match(/^cores +\[\] +default, not used by role core$/m)
      .and.to.match(/^listen +127\.0\.0\.1:8091 +default$/m)
      .and.to.include(`HEADWATER_INTERNAL_TOKEN_FILE=${secret}`)
      .and.to.match(/^internalToken +\(secret\) /m)
      .and.not.include(TOKEN);
  });
});
