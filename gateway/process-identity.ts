import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Settings } from '../config/schema.ts';
import type { ProcessIdentity } from '../core/contract.ts';

export function processIdentity({
  role,
  instance,
  gateway,
}: Pick<Settings, 'role' | 'instance' | 'gateway'>): ProcessIdentity {
  const isOneOfSeveral = role === 'gateway' && gateway.processes > 1;
  return {
    role,
    instance: instance !== null && !isOneOfSeveral ? instance : `${instance ?? hostname()}-${process.pid}`,
    version: programVersion(),
    started: new Date(performance.timeOrigin).toISOString(),
  };
}

/** The build holds code only: the file is above it. */
function programVersion(): string {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return (JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string }).version;
}
