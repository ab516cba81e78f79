import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Supervisor, superviseGateways } from '../../gateway/processes/supervisor.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const PROGRAM = join(import.meta.dirname, '../support/gateway/serving-process.cjs');

const NODE = process.execPath;

describe('the supervisor of gateway processes', () => {
  let file: string;
  let supervisor: Supervisor | undefined;
  let reasons: string[];
  const served = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);

  const supervise = async (processes: number) => {
    supervisor = await superviseGateways({
      config: {
        settings: { gateway: { processes } },
        plugins: { 'rate-limit': { subjects: 1 } },
      } as never,
      configFolder: undefined,
      program: PROGRAM,
      log: { warn: ({ reason }: { reason: string }) => reasons.push(reason) } as never,
    });
  };

  beforeEach(() => {
    reasons = [];
    file = join(mkdtempSync(join(tmpdir(), 'hw-')), 'serving');
    process.env['SERVING_PROCESSES'] = file;
  });
  afterEach(async () => {
    delete process.env['SERVING_PROCESSES'];
    process.execPath = NODE;
    await supervisor?.close(1000);
    supervisor = undefined;
  });

  it('goes on where the system cannot start a process, and starts it later', async () => {
    await supervise(1);
    // It writes its id once it has reported.
    await until(() => served().length === 1);
    // Node emits an error for the first one, and throws one for the second.
    process.execPath = '/no/such/program';
    process.kill(Number(served()[0]), 'SIGKILL');
    await until(() => reasons.length === 2);
    process.execPath = '/dev/null/program';
    await until(() => reasons.at(-1)?.endsWith('ENOTDIR') === true);
    process.execPath = NODE;
    await until(() => served().length === 2);
    expect([...new Set(reasons)]).to.deep.equal([
      'SIGKILL',
      'spawn /no/such/program ENOENT',
      'spawn ENOTDIR',
    ]);
  });

  longTest(
    'replaces a process also where others have not served yet, and its replacement does not',
    async () => {
      writeFileSync(`${file}.wait`, '');
      const supervised = supervise(2);
      await until(() => served().length === 1);
      process.execPath = '/no/such/program';
      process.kill(Number(served()[0]), 'SIGKILL');
      await until(() => reasons.length === 2);
      process.execPath = NODE;
      rmSync(`${file}.wait`);
      await supervised;
      await until(() => served().length === 3);
      expect([...new Set(reasons)]).to.deep.equal(['SIGKILL', 'spawn /no/such/program ENOENT']);
    },
  );
});
