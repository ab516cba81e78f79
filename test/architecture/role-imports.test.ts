import { expect } from 'chai';
import { importsOf } from './repository-files.ts';

interface Reached {
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** What is loaded together with a file: its static imports and theirs. */
function reachedFrom(entry: string): Reached {
  const seen = new Set([entry]);
  const packages = new Set<string>();
  for (const file of seen) {
    for (const { to, isFile, typeOnly, dynamic } of importsOf(file)) {
      if (typeOnly || dynamic) continue;
      if (isFile) seen.add(to);
      else if (!to.startsWith('node:')) packages.add(to);
    }
  }
  return { files: [...seen].sort(), packages: [...packages].sort() };
}

/** Files of core and of the workers. */
const below = ({ files }: Reached) => files.filter((file) => /^(core|workers)\//.test(file));

describe('what is loaded', () => {
  it('by core is found, or these tests show nothing', () => {
    const { files, packages } = reachedFrom('gateway/roles/core.ts');
    expect(packages).to.include.members(['sqlite3', 'koa', 'got']);
    expect(files).to.include('core/access/keys.ts');
  });

  it('by a gateway is of core its contract and the calls, and no engine', () => {
    const gateway = reachedFrom('gateway/roles/gateway.ts');
    const contract = below(reachedFrom('core/contract.ts'));
    const more = below(gateway).filter((file) => !/^core\/remote\/(client|protocol)\//.test(file));
    expect(more.filter((file) => !contract.includes(file))).to.deep.equal([]);
    expect(gateway.packages).to.deep.equal(['koa', 'lru-cache', 'pino', 'prom-client', 'zod']);
  });

  it('by everything in one process is no part of core over HTTP and no client of an engine', () => {
    const { files, packages } = reachedFrom('gateway/roles/all.ts');
    expect(files.filter((file) => file.startsWith('core/remote/'))).to.deep.equal([]);
    expect(packages).to.include('sqlite3');
    expect(
      packages.filter((name) => ['undici', 'pg', 'redis', '@aws-sdk/client-s3'].includes(name)),
    ).to.deep.equal([]);
  });

  it('by the command line before a command runs is no domain of core and no server', () => {
    const { files, packages } = reachedFrom('gateway/cli/main.ts');
    const contract = below(reachedFrom('core/contract.ts'));
    const more = below({ files, packages }).filter((file) => !contract.includes(file));
    expect(more).to.deep.equal(['core/access/audit.ts']);
    expect(packages).to.deep.equal(['zod']);
  });
});
