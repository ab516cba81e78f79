import { setTimeout as pause } from 'node:timers/promises';
import { aborted } from '../../turns/cancellation.ts';
import { coreOfKey, leastBusy } from './choose-core.ts';
import { type Call, type CoreConnection, CoreRestarted, NotBegun } from './core-connection.ts';
import type { CoreList } from './core-list.ts';
import type { Reply } from './pending-call.ts';
import { RequestBody } from './request-body.ts';

/** Longest time that a call without a core waits for a hello: one that was started again has calls at once. */
const HELLO_MS = 100;

/** A call that no core has begun or answered. */
class NoCore extends Error {}

export interface RepeatableCall extends Call {
  /** A second core may do it after the first may have begun it. */
  readonly isRepeatable: boolean;
  /** Calls with the same key go to the same core. */
  readonly key?: string | undefined;
}

/**
 * Sends a call to the best core, and to another one while no byte of an answer has arrived: a repeatable call always, others
 * where core has not begun them. All attempts together have the time of the call until the answer begins.
 *
 * @throws NoCore, the reason of the signal, or the error of the connection
 */
export async function callCores(list: CoreList, call: RepeatableCall): Promise<Reply> {
  const ends = call.timeout === 0 ? Number.POSITIVE_INFINITY : performance.now() + call.timeout;
  let tried: Set<CoreConnection> | undefined;
  let wasRestarted = false;
  let last: unknown;
  let failed: CoreConnection | undefined;
  for (;;) {
    const core = choose(list, call.key, tried) ?? (await afterHello(list, call, tried));
    if (core === undefined) throw last ?? new NoCore(failuresOf(list));
    if (failed !== undefined) failed.retries += 1;
    try {
      return await core.call(call, ends - performance.now());
    } catch (error) {
      if (call.signal?.aborted || performance.now() > ends) throw error;
      const canRepeat = !(call.body instanceof RequestBody) || call.body.isWhole;
      if (!canRepeat || !(call.isRepeatable || error instanceof NotBegun)) throw error;
      last = error;
      failed = core;
      tried ??= new Set();
      if (wasRestarted || !(error instanceof CoreRestarted)) tried.add(core);
      wasRestarted ||= error instanceof CoreRestarted;
    }
  }
}

function choose(
  { connections }: CoreList,
  key: string | undefined,
  tried?: ReadonlySet<CoreConnection>,
): CoreConnection | undefined {
  return key === undefined ? leastBusy(connections, tried) : coreOfKey(connections, key, tried);
}

/** Waits for a hello of the cores that were not tried, at the start of a gateway for the first of each. */
async function afterHello(
  list: CoreList,
  { key, signal }: RepeatableCall,
  tried?: ReadonlySet<CoreConnection>,
): Promise<CoreConnection | undefined> {
  const greeted = list.isGreeted ? anyGreeted(list, tried) : list.greeted;
  await Promise.race([greeted, ...(signal ? [aborted(signal)] : [])]);
  return choose(list, key, tried);
}

async function anyGreeted({ connections }: CoreList, tried?: ReadonlySet<CoreConnection>): Promise<void> {
  const hellos = connections.filter((core) => !tried?.has(core)).map((core) => core.greetForCall());
  // Rejects where all have failed; the call then has the reasons of the connections.
  const any = Promise.any(hellos).catch(() => {});
  await Promise.race([any, pause(HELLO_MS, undefined, { ref: false })]);
}

function failuresOf({ connections }: CoreList): string {
  if (connections.length === 0) return 'The name of the cores cannot be resolved.';
  return connections.map(({ failure }) => failure?.message ?? '').join(' ');
}
