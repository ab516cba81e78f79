import type { Limits, LocalCounts, Verdict } from '../../plugins/counters/limiter.ts';
import { LocalLimiter } from '../../plugins/counters/local-limiter.ts';
import { systemClock } from '../pipeline/plugin-services.ts';
import type { Channel } from './channel.ts';
import type { ProcessFacts, SupervisorCalls } from './process-calls.ts';

/** What a gateway shares with the other gateway processes of its machine. */
export interface ProcessGroup {
  /** Counts the calls to all of them. */
  readonly limiter: LocalCounts;
  /** Prometheus text of all of them. */
  metrics(): Promise<string>;
  list(): Promise<readonly ProcessFacts[]>;
  /** A wrong key or token from an address, which the others count too. */
  failedAttempt(group: string): void;
}

/** The supervisor asks every process, which takes 1 s where one stalls. */
const REPORT_MS = 3000;
/** A supervisor that takes longer stalls, and each process limits by itself. */
const VERDICT_MS = 500;

export function processGroup(supervisor: Channel<SupervisorCalls>): ProcessGroup {
  return {
    limiter: new SharedLimiter(supervisor),
    metrics: () => supervisor.call('metrics', null, REPORT_MS),
    list: () => supervisor.call('processes', null, REPORT_MS),
    failedAttempt: (group) => supervisor.notify('failedAttempt', group),
  };
}

/**
 * The supervisor counts the calls to all processes. This process counts those that were admitted to it, and decides by
 * that where the supervisor does not answer.
 */
class SharedLimiter implements LocalCounts {
  readonly #supervisor: Channel<SupervisorCalls>;
  readonly #own = new LocalLimiter(systemClock);

  constructor(supervisor: Channel<SupervisorCalls>) {
    this.#supervisor = supervisor;
  }

  async take(subject: string, limits: Limits): Promise<Verdict> {
    try {
      const verdict = await this.#supervisor.call('take', { subject, limits }, VERDICT_MS);
      if (verdict.admitted) this.#own.take(subject, limits);
      return verdict;
    } catch {
      return this.#own.take(subject, limits);
    }
  }

  peek(subject: string, limits: Limits): Verdict {
    return this.#own.peek(subject, limits);
  }

  charge(subject: string): void {
    this.#own.charge(subject);
    this.#supervisor.notify('charge', subject);
  }

  resize(most: number): void {
    this.#own.resize(most);
  }
}
