import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../support/run-gateway.ts';
import { HeadwaterProcess } from '../support/run-headwater.ts';

/** By cores; with more of them Node's default stays. */
const FLAGS: Readonly<Record<number, string>> = {
  1: '--v8-pool-size=1',
  2: '--v8-pool-size=1',
  3: '--v8-pool-size=2',
  4: '--v8-pool-size=3',
};

/** The flags that the process, or the child that runs the service for it, was started with. */
function poolFlags(pid: number): string[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const words = [String(pid), ...children].flatMap((one) =>
    readFileSync(`/proc/${one}/cmdline`, 'utf8').split('\0'),
  );
  return words.filter((word) => word.startsWith('--v8-pool-size'));
}

describe("V8's threads of a running service", () => {
  for (const [title, options, expected] of [
    ['are one fewer than cores, at most four', '', FLAGS[availableParallelism()]],
    ['are as many as the operator says', '--v8-pool-size=2', undefined],
  ] as const)
    it(title, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-threads-'));
      const service = new HeadwaterProcess(['serve'], {
        NODE_OPTIONS: options,
        HEADWATER_DATA_DIR: folder,
        HEADWATER_PORT: String(await freePort()),
        HEADWATER_TLS_PORT: '0',
        HEADWATER_SAMPLE: 'false',
        HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
      });
      await service.printed(/admin token/);
      const flags = poolFlags(service.pid);
      service.signal('SIGTERM');
      await service.ended;
      await rm(folder, { recursive: true });
      expect(flags).to.deep.equal(expected === undefined ? [] : [expected]);
    });
});
