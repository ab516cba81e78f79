import type { HealthReport } from '../core/contract.ts';
import type { Listener } from './listeners/listen.ts';

/** What the gateway tells of itself on the health page. */
export function gatewayHealth(
  listeners: readonly Pick<Listener, 'url' | 'connections'>[],
  loaded: { readonly at: Date; readonly times: number },
  { isListening }: { readonly isListening: boolean },
): HealthReport['parts'] {
  const doors = listeners.map(
    ({ url, connections }) => `${url} (${connections} connection${connections === 1 ? '' : 's'})`,
  );
  const times = loaded.times === 0 ? '' : `, reload ${loaded.times}`;
  return {
    // A port that is taken ends the start: until all are bound, nobody is to send requests here.
    listeners: { ok: isListening, detail: isListening ? doors.join(', ') : 'not all ports are bound yet' },
    configuration: { ok: true, detail: `loaded ${loaded.at.toISOString()}${times}` },
  };
}
