import { StartError } from '../../config/start-error.ts';
import { plugins as builtIn } from '../../plugins/registry.ts';
import { loadPlugins } from '../pipeline/load-plugins.ts';
import { openChannel } from '../processes/channel.ts';
import type {
  GatewayProcessCalls,
  MetricReport,
  ProcessStart,
  SupervisorCalls,
} from '../processes/process-calls.ts';
import { processGroup } from '../processes/process-group.ts';
import { type RunningGatewayRole, startGateway } from '../roles/gateway.ts';
import type { Loaded, Reloaded } from '../roles/reload.ts';
import type { PreparedConfig } from '../serve.ts';
import { failureSentence } from './failure.ts';
import { relaxHeapLimit } from './heap-limit.ts';

const START_MS = 10_000;

/**
 * One gateway process of several. It takes its configuration from the supervisor, so that all have the same one, and ends
 * with it.
 */
export async function runGatewayProcess(): Promise<void> {
  process.umask(0o077);
  // The terminal sends them to every process; the supervisor says what to do.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  let gateway: RunningGatewayRole;
  let stopping: Promise<void> | undefined;
  let prepared: Promise<Reloaded & PreparedConfig>;
  const supervisor = openChannel<SupervisorCalls, GatewayProcessCalls>(process, {
    async prepare(config) {
      prepared = gateway.prepare(() => loaded({ config, configFolder }));
      await prepared;
      return null;
    },
    async apply() {
      await (await prepared).apply();
      return null;
    },
    async discard() {
      await (await prepared).discard();
      return null;
    },
    unblock: (address) => gateway.unblock(address),
    failedAttempt(group) {
      gateway.failedAttempt(group);
      return null;
    },
    metrics: () => gateway.registry.getMetricsAsJSON() as unknown as Promise<MetricReport[]>,
    facts: () => gateway.facts(),
    async stop() {
      await stop();
      return null;
    },
  });
  const { config, configFolder } = await supervisor.call('start', null, START_MS);
  try {
    const group = processGroup(supervisor);
    gateway = await startGateway({ ...(await loaded({ config, configFolder })), group });
  } catch (error) {
    const sentence = failureSentence(error);
    if (sentence === undefined) throw error;
    await supervisor.call('failed', sentence, START_MS);
    process.exit(1);
  }
  relaxHeapLimit();
  process.on('SIGTERM', stop);
  await supervisor.call('serving', { urls: gateway.urls, surfaces: gateway.surfaces() }, START_MS);

  /** Called twice where a service manager signals this process too, and also before the gateway has started. */
  function stop(): Promise<void> {
    stopping ??= (async () => {
      await gateway?.close();
      process.exit(0);
    })();
    return stopping;
  }
}

async function loaded({ config, configFolder }: ProcessStart): Promise<Loaded> {
  const own = await loadPlugins(
    config.settings.pipeline.own,
    (_module, rule) => {
      throw new StartError(`pipeline.own ${rule}`);
    },
    configFolder,
  );
  return { config, plugins: [...builtIn, ...own] };
}
