import { availableParallelism } from 'node:os';
import type { Settings } from '../../config/schema.ts';
import type { Log } from '../../plugins/contract.ts';
import type { Workers } from '../../workers/contract.ts';
import { DEFAULT_LIMITS } from '../../workers/images/limits.ts';
import { startWorkers } from '../../workers/tier/start-workers.ts';

/** The worker tier of the settings; starts no process before the first task. */
export function openWorkers(
  settings: Settings['workers'],
  log: Log,
  /** Empty in the role `worker`, which transforms images itself. */
  remote: readonly string[] = settings.remote,
): Workers {
  return startWorkers({
    hosts: hostsOf(settings),
    waiting: settings.waiting,
    milliseconds: settings.deadlineSeconds * 1000,
    limits: { image: { ...DEFAULT_LIMITS, maxPixels: settings.maxPixels } },
    allocator: settings.allocator,
    remotes: remote.map((address) => ({ ...hostAndPort(address), token: settings.token ?? '' })),
    log,
  });
}

/** Host processes for images on this machine. */
export function hostsOf({ hosts }: Settings['workers']): number {
  return hosts ?? Math.max(1, availableParallelism() - 1);
}

/** @param address `host:port`, checked by the schema of the settings */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return { host, port: Number(address.slice(colon + 1)) };
}
