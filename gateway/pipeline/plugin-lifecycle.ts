/**
 * The steps of a plugin's life, each within its time. A plugin of an operator's own may do anything: wait for a
 * server that is away, throw, return nothing. None of it may hold a reload, the health page or a stop.
 */
import type { PartHealth, Plugin, PluginInstance, PluginServices } from '../../plugins/contract.ts';
import { withCurrentNames } from './deprecated-names.ts';
import { withTimeout } from './with-timeout.ts';

/** In milliseconds. */
export interface LifecycleTimeouts {
  readonly setup: number;
  readonly health: number;
  readonly dispose: number;
}

export const LIFECYCLE_TIMEOUTS: LifecycleTimeouts = { setup: 30_000, health: 2000, dispose: 10_000 };

/** @throws what the plugin throws; an Error where it is not ready in time or cannot handle requests */
export async function setUp(
  plugin: Plugin,
  settings: unknown,
  services: PluginServices,
  patience = LIFECYCLE_TIMEOUTS,
): Promise<PluginInstance> {
  const setup = Promise.resolve(plugin.setup(settings, services));
  const running = await withTimeout(patience.setup, setup, 'it was not ready').catch((error: unknown) => {
    // What comes too late is of no use, and is not to be left open.
    setup.then((late) => late?.dispose?.()).catch(() => {});
    throw error;
  });
  if (typeof running?.handle !== 'function') throw new Error("its setup returns no function 'handle'");
  return withCurrentNames(running);
}

/** Undefined where the plugin tells nothing of its health. */
export async function healthOf(
  running: PluginInstance,
  patience = LIFECYCLE_TIMEOUTS,
): Promise<PartHealth | undefined> {
  if (running.health === undefined) return undefined;
  try {
    const told = await withTimeout(patience.health, running.health(), 'it did not answer');
    if (typeof told?.ok !== 'boolean') throw new Error("its health tells no 'ok'");
    return told;
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws what the plugin throws; an Error where it takes too long */
export async function dispose(running: PluginInstance, patience = LIFECYCLE_TIMEOUTS): Promise<void> {
  await withTimeout(patience.dispose, running.dispose?.(), 'it did not end');
}
