import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/load-config.ts';
import { StartError } from '../../config/start-error.ts';
import type { Log } from '../../plugins/contract.ts';
import { LocalLimiter } from '../../plugins/counters/local-limiter.ts';
import { systemClock } from '../pipeline/plugin-services.ts';
import { MergedMetrics } from './merge-metrics.ts';
import type { ProcessFacts, ServingFacts } from './process-calls.ts';
import { type GatewayProcess, ProcessSlot } from './process-slot.ts';

export interface SupervisorOptions {
  readonly config: Config;
  /** Folder of the operator's files. */
  readonly configFolder: string | undefined;
  /** The program of the gateway processes. */
  readonly program: string;
  readonly log: Log;
}

export interface Supervisor extends ServingFacts {
  /**
   * Sets a configuration up in every process, for all to apply or to discard.
   *
   * @throws StartError naming the process that refuses it; then nothing has changed
   */
  prepare(config: Config): Promise<{ apply(): Promise<void>; discard(): Promise<void> }>;
  /** Ends the block of an address; false where no process blocked it. */
  unblock(address: string): Promise<boolean>;
  /** Drains all processes, and kills those that take longer. */
  close(milliseconds: number): Promise<void>;
}

/** Plugins have 30 s to be set up. */
const PREPARE_MS = 60_000;
const APPLY_MS = 5000;
const ANSWER_MS = 1000;
/** How often processes are checked, and how long one may take to answer before it is killed. */
const CHECK_MS = 5000;
const STALLED_MS = 10_000;
const KILL_AFTER_MS = 1000;

/**
 * Runs several gateway processes behind the same ports, and replaces those that end. It accepts the connections and passes
 * them on in turns, so that all processes have equally many; one that stalls gets no further connection. It handles no
 * request itself.
 *
 * @throws StartError where the processes cannot serve
 */
export async function superviseGateways(options: SupervisorOptions): Promise<Supervisor> {
  const { log, program, configFolder } = options;
  let { config } = options;
  const limiter = new LocalLimiter(systemClock, subjectsOf(config));
  const metrics = new MergedMetrics();
  cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' });
  cluster.schedulingPolicy = cluster.SCHED_RR;

  const slots = Array.from({ length: config.settings.gateway.processes }, (_, at) => {
    const number = at + 1;
    return new ProcessSlot({
      number,
      handlers: {
        start: () => ({ config, configFolder }),
        take: ({ subject, limits }) => limiter.take(subject, limits),
        charge: (subject) => {
          limiter.charge(subject);
          return null;
        },
        failedAttempt: (group) => {
          for (const other of serving())
            if (other.number !== number) other.channel.notify('failedAttempt', group);
          return null;
        },
        metrics: metricsText,
        processes: processFacts,
      },
      log,
      onEnd: () => metrics.end(number),
    });
  });
  const running = () => slots.flatMap(({ process }) => process ?? []);
  const serving = () => running().filter(({ isServing }) => isServing);
  /** It was not replaced meanwhile. */
  const isCurrent = (process: GatewayProcess) => slots[process.number - 1]?.process === process;

  async function metricsText(): Promise<string> {
    await Promise.all(
      serving().map(async (process) => {
        const report = await process.channel.call('metrics', null, ANSWER_MS).catch(() => undefined);
        // One that does not answer counts with its last report.
        if (report !== undefined && isCurrent(process)) metrics.report(process.number, report);
      }),
    );
    return metrics.text();
  }

  function processFacts(): Promise<ProcessFacts[]> {
    return Promise.all(
      slots.map(async ({ number, process }) => {
        const nothing = { connections: undefined, digest: undefined };
        const call = process?.isServing ? process.channel.call('facts', null, ANSWER_MS) : undefined;
        const facts = (await call?.catch(() => undefined)) ?? nothing;
        return { number, pid: process?.pid, started: process?.started.toISOString() ?? '', ...facts };
      }),
    );
  }

  const checks = setInterval(() => {
    for (const process of serving()) {
      process.channel.call('facts', null, STALLED_MS).catch(() => {
        if (!isCurrent(process)) return;
        const { number, pid, worker } = process;
        log.error({ process: number, pid }, 'A gateway process does not answer and is killed.');
        worker.process.kill('SIGKILL');
      });
    }
  }, CHECK_MS).unref();

  async function close(milliseconds: number): Promise<void> {
    clearInterval(checks);
    for (const slot of slots) slot.stop();
    const all = running();
    for (const { channel } of all) channel.notify('stop', null);
    const ended = Promise.all(all.map((one) => one.ended));
    await Promise.race([ended, pause(milliseconds + KILL_AFTER_MS, undefined, { ref: false })]);
    for (const { worker } of running()) worker.process.kill('SIGKILL');
    await ended;
  }

  let facts: ServingFacts;
  try {
    // One alone first: it binds the ports, creates the certificate, and reports what is wrong.
    const [first, ...others] = slots;
    facts = await first!.start().serving;
    await Promise.all(others.map((slot) => slot.start().serving));
  } catch (error) {
    await close(0);
    throw error;
  }

  return {
    ...facts,
    close,
    async unblock(address) {
      const calls = serving().map(({ channel }) =>
        channel.call('unblock', address, ANSWER_MS).catch(() => false),
      );
      return (await Promise.all(calls)).includes(true);
    },
    async prepare(next) {
      const all = serving();
      const discard = await prepareEach(all, next, slots.length);
      return {
        async apply() {
          config = next;
          limiter.resize(subjectsOf(next));
          await Promise.all(
            running().map(async ({ worker, channel }) => {
              const isPrepared = all.some((one) => one.channel === channel);
              try {
                if (!isPrepared) throw new Error('It started with the configuration before.');
                await channel.call('apply', null, APPLY_MS);
              } catch {
                // No process may serve with another configuration than the rest.
                worker.process.kill('SIGKILL');
              }
            }),
          );
        },
        discard,
      };
    },
  };
}

/**
 * Sets a configuration up in processes.
 *
 * @param count of all slots, for the message
 * @returns discards it in all
 * @throws StartError naming the process that refuses it, once the others have discarded it
 */
async function prepareEach(
  processes: readonly GatewayProcess[],
  config: Config,
  count: number,
): Promise<() => Promise<void>> {
  const prepare = (some: readonly GatewayProcess[]) =>
    Promise.allSettled(some.map(({ channel }) => channel.call('prepare', config, PREPARE_MS)));
  // One alone first, as at the start: it creates the certificate that the others read.
  const results = await prepare(processes.slice(0, 1));
  if (results[0]?.status === 'fulfilled') results.push(...(await prepare(processes.slice(1))));
  const discard = async () => {
    for (const { channel } of processes.slice(0, results.length)) channel.notify('discard', null);
  };
  const at = results.findIndex(({ status }) => status === 'rejected');
  if (at < 0) return discard;
  await discard();
  const { number, pid } = processes[at]!;
  const { reason } = results[at] as PromiseRejectedResult;
  throw new StartError(
    `Gateway process ${number} of ${count} (process id ${pid}) refuses the configuration: ${(reason as Error).message}`,
    { cause: reason },
  );
}

/** Keys that the rate limit counts at a time. */
function subjectsOf({ plugins }: Config): number {
  return (plugins['rate-limit'] as { readonly subjects: number }).subjects;
}
