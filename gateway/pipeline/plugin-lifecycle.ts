/**
 * The steps of a plugin's lifecycle, each with a timeout. An operator's plugin may hang, throw or return nothing; it
 * must not block a reload, the health page or a shutdown.
 */
import type { PartHealth, Plugin, PluginInstance, PluginServices } from '../../plugins/contract.ts';
import { withTimeout } from './with-timeout.ts';

/** In milliseconds. */
export interface LifecycleTimeouts {
  readonly setup: number;
  readonly health: number;
  readonly dispose: number;
}

export const LIFECYCLE_TIMEOUTS: LifecycleTimeouts = { setup: 30_000, health: 2000, dispose: 10_000 };

/** Hooks of version 0.1.0 would be left out without a word. */
const FORMER_HOOKS = [
  ['begin', 'activate'],
  ['left', 'onResponse'],
  ['express', 'onRequest'],
] as const;

const ASYNC_FUNCTION = (async () => {}).constructor as FunctionConstructor;

/** @throws what the plugin throws; an Error where it is not ready in time or cannot handle requests */
export async function setUp(
  plugin: Plugin,
  settings: unknown,
  services: PluginServices,
  timeouts = LIFECYCLE_TIMEOUTS,
): Promise<PluginInstance> {
  const setup = Promise.resolve(plugin.setup(settings, services));
  try {
    const instance = await withTimeout(timeouts.setup, setup, 'it was not ready');
    checkHooks(instance);
    return instance;
  } catch (error) {
    // Releases an instance that is refused, or ready too late.
    setup.then((made) => made?.dispose?.()).catch(() => {});
    throw error;
  }
}

/** @param instance may be anything: an operator's plugin has no type checker */
function checkHooks(instance: PluginInstance | undefined): void {
  for (const [former, name] of FORMER_HOOKS) {
    if (instance && former in instance) {
      throw new Error(`its setup returns '${former}', which is called '${name}' since version 0.2.0`);
    }
  }
  if (
    ![instance?.onRequest, instance?.handle, instance?.onResponse].some((hook) => typeof hook === 'function')
  ) {
    throw new Error("its setup returns no function 'handle'");
  }
  if (instance?.onRequest instanceof ASYNC_FUNCTION) {
    throw new Error("its 'onRequest' is asynchronous; what has to wait belongs in 'handle'");
  }
}

/** Undefined where the plugin reports no health. */
export async function healthOf(
  running: PluginInstance,
  timeouts = LIFECYCLE_TIMEOUTS,
): Promise<PartHealth | undefined> {
  if (running.health === undefined) return undefined;
  try {
    const health = await withTimeout(timeouts.health, running.health(), 'it did not answer');
    if (typeof health?.ok !== 'boolean') throw new Error("its health has no 'ok'");
    return health;
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws what the plugin throws; an Error where it takes too long */
export async function dispose(running: PluginInstance, timeouts = LIFECYCLE_TIMEOUTS): Promise<void> {
  await withTimeout(timeouts.dispose, running.dispose?.(), 'it did not end');
}
