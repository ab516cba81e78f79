import { randomUUID } from 'node:crypto';

/** Work that one process of an installation does at a time. */
export interface Duty {
  /**
   * 0 while this process does not have it; otherwise a number that changes once another process may have had it meanwhile.
   * Work that takes several steps ends where it changes.
   */
  readonly term: number;
  /** Calls the listener each time this process gets it, and at once where it has it already. */
  onHeld(listener: () => void): void;
  /** Milliseconds after which to look for work that other processes caused; undefined = there are none. */
  readonly lookAgain: number | undefined;
}

/** This process, as the owner of queues and jobs in the data. */
export interface Owner {
  /** Unique to this run of the process. */
  readonly id: string;
  /** 0 while other processes may take over what it owns; otherwise a number that changes once they may have. */
  readonly term: number;
  /**
   * Those of `owners` whose processes have ended or stall; never itself. One that was killed is
   * among them after 3 s, one that this process never saw 2 s after it was first asked for.
   */
  ended(owners: readonly string[]): Promise<ReadonlySet<string>>;
  /** Called when another process has ended or stalls. */
  onEnded(listener: () => void): void;
  /** Tries to get a duty, now and until the store closes. The promise resolves after the first try. */
  exclusive(name: string): Promise<Duty>;
}

/** The duty of the only process. */
export const SOLE_DUTY: Duty = {
  term: 1,
  onHeld: (listener) => listener(),
  lookAgain: undefined,
};

/** The only process that uses the data; all others have ended. */
export class SoleOwner implements Owner {
  readonly id = randomUUID();
  readonly term = 1;

  async ended(owners: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(owners.filter((owner) => owner !== this.id));
  }

  onEnded(): void {}

  async exclusive(): Promise<Duty> {
    return SOLE_DUTY;
  }
}

/** A duty that this process does not perform. */
export const NO_DUTY: Duty = {
  term: 0,
  onHeld() {},
  lookAgain: undefined,
};
