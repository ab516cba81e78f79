import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { superviseGateways } from '../../gateway/processes/supervisor.ts';
import { until } from '../support/until.ts';

const PROGRAM = join(import.meta.dirname, '../support/gateway/serving-process.cjs');

const NODE = process.execPath;

describe('the supervisor of gateway processes', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'hw-')), 'serving');
  const served = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);

  afterEach(() => {
    delete process.env['SERVING_PROCESSES'];
    process.execPath = NODE;
  });

  it('goes on where the system cannot start a process, and starts it later', async () => {
    process.env['SERVING_PROCESSES'] = file;
    const reasons: string[] = [];
    const supervisor = await superviseGateways({
      config: {
        settings: { gateway: { processes: 1 } },
        plugins: { 'rate-limit': { subjects: 1 } },
      } as never,
      configFolder: undefined,
      program: PROGRAM,
      log: { warn: ({ reason }: { reason: string }) => reasons.push(reason) } as never,
    });
    process.execPath = '/no/such/program';
    process.kill(Number(served()[0]), 'SIGKILL');
    await until(() => reasons.length > 1);
    process.execPath = NODE;
    await until(() => served().length === 2);
    await supervisor.close(1000);
    expect(reasons.slice(0, 2)).to.deep.equal(['SIGKILL', 'spawn /no/such/program ENOENT']);
  });
});
