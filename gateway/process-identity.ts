import { hostname } from 'node:os';
import { programVersion } from '../config/program-version.ts';
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
