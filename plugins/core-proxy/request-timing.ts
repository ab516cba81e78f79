import { type CallTiming, roundedMilliseconds, timingLogFields } from '../../core/contract.ts';
import type { Outcome } from '../contract.ts';

/** Where the time of a request went, in milliseconds; without the time of core's answer on its way to the client. */
export interface RequestTiming {
  /** In the gateway, before the call of core. */
  readonly gateway: number;
  /** In core; `parts` add up to less, because core also works without waiting. */
  readonly core: number;
  readonly parts: CallTiming;
  /** Between gateway and core; 0 where both are one process. */
  readonly network: number;
}

/** @param began,ended of the call of core; milliseconds of the monotonic clock */
export function requestTiming(
  outcome: Outcome,
  parts: CallTiming,
  began: number,
  ended: number,
): RequestTiming {
  const { total: core = ended - began } = parts;
  return { gateway: began - outcome.began, core, parts, network: Math.max(0, ended - began - core) };
}

/** The header `Server-Timing` (W3C Server Timing). */
export function serverTiming({ gateway, core, parts, network }: RequestTiming): string {
  const { queue, database, workers } = parts;
  return Object.entries({ gateway, core, queue, database, workers, network })
    .map(([name, milliseconds]) => `${name};dur=${roundedMilliseconds(milliseconds)}`)
    .join(', ');
}

/** The same as fields of a log line. */
export function timingFields({ gateway, core, parts, network }: RequestTiming): object {
  return {
    gateway_ms: roundedMilliseconds(gateway),
    core_ms: roundedMilliseconds(core),
    ...timingLogFields(parts),
    network_ms: roundedMilliseconds(network),
  };
}
