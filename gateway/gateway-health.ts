import type { HealthReport } from '../core/contract.ts';
import type { Listener } from './listeners/listen.ts';

/** The gateway's own part of the health page. */
export function gatewayHealth(
  listeners: readonly Pick<Listener, 'url' | 'connections'>[],
  loaded: { readonly at: Date; readonly times: number; readonly digest: string | undefined },
  { isListening }: { readonly isListening: boolean },
): HealthReport['parts'] {
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
    configuration: { ok: true, detail: `loaded ${loaded.at.toISOString()}${times}${digest}` },
  };
}
