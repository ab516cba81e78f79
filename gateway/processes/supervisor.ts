import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/load-config.ts';
import { StartError } from '../../config/start-error.ts';
import type { Log } from '../../plugins/contract.ts';
import { LocalLimiter } from '../../plugins/counters/local-limiter.ts';
import { systemClock } from '../pipeline/plugin-services.ts';
import { type Channel, openChannel } from './channel.ts';
import { closeUnconfirmed } from './close-unconfirmed.ts';
import { MergedMetrics } from './merge-metrics.ts';
import type { GatewayProcessCalls, ProcessFacts, ServingFacts, SupervisorCalls } from './process-calls.ts';

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

/** Of one process, or of those that replaced it. */
interface Slot {
  /** From 1. */
  readonly number: number;
  process: GatewayProcess | undefined;
  /** One of it has served. */
  hasServed: boolean;
  /** Processes in a row that ended soon after their start. */
  failures: number;
  timer?: NodeJS.Timeout;
}

interface GatewayProcess {
  readonly slot: Slot;
  readonly worker: Worker;
  readonly channel: Channel<GatewayProcessCalls>;
  /** Undefined where the system could not start it. */
  readonly pid: number | undefined;
  readonly started: Date;
  /** Resolves when it serves; rejects where it ends before. */
  readonly serving: Promise<ServingFacts>;
  readonly ended: Promise<void>;
  isServing: boolean;
}

/** A process that served for so long is replaced at once; others after a pause, which doubles. */
const SOON_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
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
  let isStopping = false;
  const limiter = new LocalLimiter(systemClock, subjectsOf(config));
  const metrics = new MergedMetrics();
  const count = config.settings.gateway.processes;
  const slots = Array.from(
    { length: count },
    (_, at): Slot => ({ number: at + 1, process: undefined, hasServed: false, failures: 0 }),
  );
  cluster.setupPrimary({ exec: program, args: [], serialization: 'advanced' });
  cluster.schedulingPolicy = cluster.SCHED_RR;

  const running = () => slots.flatMap(({ process }) => process ?? []);
  const serving = () => running().filter(({ isServing }) => isServing);

  function start(slot: Slot): GatewayProcess {
    const worker = cluster.fork();
    if (worker.process.pid !== undefined) closeUnconfirmed(worker);
    let reason: string | undefined;
    let serve: (facts: ServingFacts) => void;
    let fail: (error: Error) => void;
    const channel = openChannel<GatewayProcessCalls, SupervisorCalls>(worker.process, {
      start: () => ({ config, configFolder }),
      serving: (facts) => {
        started.isServing = true;
        slot.hasServed = true;
        serve(facts);
        return null;
      },
      failed: (sentence) => {
        reason = sentence;
        return null;
      },
      take: ({ subject, limits }) => limiter.take(subject, limits),
      charge: (subject) => {
        limiter.charge(subject);
        return null;
      },
      failedAttempt: (group) => {
        for (const { slot: other, channel: to } of serving()) {
          if (other !== slot) to.notify('failedAttempt', group);
        }
        return null;
      },
      metrics: metricsText,
      processes: processFacts,
    });
    const started: GatewayProcess = {
      slot,
      worker,
      channel,
      pid: worker.process.pid,
      started: new Date(),
      isServing: false,
      serving: new Promise((resolve, reject) => {
        serve = resolve;
        fail = reject;
      }),
      ended: new Promise((resolve) => {
        const end = (how: string) => {
          channel.close();
          metrics.end(slot.number);
          slot.process = undefined;
          fail(new StartError(reason ?? `A gateway process ended: ${how}.`));
          // The start awaits the first of each slot, and ends where one fails.
          if (slot.hasServed && !isStopping) replace(started, reason ?? how);
          resolve();
        };
        worker.process.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
        worker.on('error', ({ message }) => {
          // The system has no process or no file descriptor left for it: there is no exit.
          if (worker.process.pid === undefined) end(message);
        });
      }),
    };
    // The start awaits it; later the log has the reason.
    started.serving.catch(() => {});
    slot.process = started;
    return started;
  }

  function replace(
    { slot, pid, started }: Pick<GatewayProcess, 'slot' | 'pid' | 'started'>,
    reason: string,
  ): void {
    slot.failures = Date.now() - started.getTime() >= SOON_MS ? 0 : slot.failures + 1;
    const milliseconds =
      slot.failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (slot.failures - 1), LONGEST_PAUSE_MS);
    log.warn(
      { process: slot.number, pid, reason, milliseconds },
      'A gateway process has ended; another one replaces it.',
    );
    slot.timer = setTimeout(() => {
      try {
        start(slot);
      } catch (error) {
        // Node throws where the system has no memory left for it.
        replace({ slot, pid: undefined, started: new Date() }, (error as Error).message);
      }
    }, milliseconds);
  }

  async function metricsText(): Promise<string> {
    await Promise.all(
      serving().map(async ({ slot, channel }) => {
        const report = await channel.call('metrics', null, ANSWER_MS).catch(() => undefined);
        // One that does not answer counts with its last report.
        if (report !== undefined && slot.process?.channel === channel) metrics.report(slot.number, report);
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
    for (const { slot, pid, worker, channel } of serving()) {
      channel.call('facts', null, STALLED_MS).catch(() => {
        if (slot.process?.channel !== channel) return;
        log.error({ process: slot.number, pid }, 'A gateway process does not answer and is killed.');
        worker.process.kill('SIGKILL');
      });
    }
  }, CHECK_MS).unref();

  async function close(milliseconds: number): Promise<void> {
    isStopping = true;
    clearInterval(checks);
    for (const { timer } of slots) clearTimeout(timer);
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
    facts = await start(first!).serving;
    await Promise.all(others.map((slot) => start(slot).serving));
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
      const prepareEach = (some: readonly GatewayProcess[]) =>
        Promise.allSettled(some.map(({ channel }) => channel.call('prepare', next, PREPARE_MS)));
      // One alone first, as at the start: it creates the certificate that the others read.
      const results = await prepareEach(all.slice(0, 1));
      if (results[0]?.status === 'fulfilled') results.push(...(await prepareEach(all.slice(1))));
      const discard = async () => {
        for (const { channel } of all.slice(0, results.length)) channel.notify('discard', null);
      };
      const at = results.findIndex(({ status }) => status === 'rejected');
      if (at >= 0) {
        await discard();
        const { slot, pid } = all[at]!;
        const { reason } = results[at] as PromiseRejectedResult;
        throw new StartError(
          `Gateway process ${slot.number} of ${count} (process id ${pid}) refuses the configuration: ${(reason as Error).message}`,
          { cause: reason },
        );
      }
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

/** Keys that the rate limit counts at a time. */
function subjectsOf({ plugins }: Config): number {
  return (plugins['rate-limit'] as { readonly subjects: number }).subjects;
}
