import type { HealthReport } from '../core/contract.ts';
import type { Listener } from './listeners/listen.ts';
import type { ProcessGroup } from './processes/process-group.ts';
import type { SharedRedis } from './redis/open-redis.ts';

/** The gateway's own part of the health page. */
export async function gatewayHealth(
  listeners: readonly Pick<Listener, 'url' | 'connections'>[],
  loaded: { readonly at: Date; readonly times: number; readonly digest: string | undefined },
  { isListening }: { readonly isListening: boolean },
  {
    group,
    redis,
  }: {
    readonly group?: ProcessGroup | undefined;
    readonly redis?: Pick<SharedRedis, 'health'> | undefined;
  } = {},
): Promise<HealthReport['parts']> {
  const addresses = listeners.map(
    ({ url, connections }) => `${url} (${connections} connection${connections === 1 ? '' : 's'})`,
  );
  const times = loaded.times === 0 ? '' : `, reload ${loaded.times}`;
  const digest = loaded.digest === undefined ? '' : `, digest ${loaded.digest}`;
  return {
    // Not ready until all ports are bound: a taken port ends the start.
    listeners: {
      ok: isListening,
      detail: isListening ? addresses.join(', ') : 'not all ports are bound yet',
    },
    ...(group && { processes: await processHealth(group) }),
    ...(redis && { redis: redis.health() }),
    configuration: { ok: true, detail: `loaded ${loaded.at.toISOString()}${times}${digest}` },
  };
}

/** The other processes do not decide whether this one is ready. */
async function processHealth(group: ProcessGroup): Promise<HealthReport['parts'][string]> {
  try {
    const all = await group.list();
    const lines = all.map(({ number, pid, started, connections, digest }) =>
      connections === undefined
        ? `${number}: ${pid === undefined ? 'is being replaced' : `process ${pid} does not answer yet`}`
        : `${number}: process ${pid} since ${started}, ${connections} connections, digest ${digest}`,
    );
    return { ok: true, detail: lines.join('; ') };
  } catch (error) {
    return { ok: true, detail: `the supervisor does not answer: ${(error as Error).message}` };
  }
}
