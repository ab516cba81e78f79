/** What a running core publishes for the others of its installation. */
export interface RegisteredCore {
  /** JSON; empty once the core has ended. */
  readonly state: string;
  /** Ids of its gateways. */
  readonly gateways: readonly string[];
  /** All of its gateways have the commits until this sequence. */
  readonly confirmed: number;
}

/** One that another core has published. */
export interface OtherCore extends RegisteredCore {
  /** Unique to one run of a core. */
  readonly id: string;
  /** Milliseconds since it was written. */
  readonly age: number;
}

/** The table in which running cores publish themselves, where several may run on one database. */
export interface CoreRegistry {
  /** Replaces what this core has published; others read it again where its gateways are other ones. */
  write(own: RegisteredCore): Promise<void>;
  /** What other cores published within `REGISTERED_MS`. */
  read(): Promise<readonly OtherCore[]>;
  /** Whether other cores run whose version is not the one of this core. */
  hasOtherVersions(): Promise<boolean>;
  /** Sends `confirmed` to the other cores without writing it. */
  announce(confirmed: number): Promise<void>;
  /**
   * Calls `announced` with what other cores announce, and `changed` where one has other gateways, or announcements may have
   * been missed.
   */
  listen(announced: (id: string, confirmed: number) => void, changed: () => void): void;
  /**
   * Asks the other cores.
   *
   * @param count of answers to wait for, at most `ASKED_MS`
   * @returns null for an answer that is too long to be sent
   */
  ask(question: string, count: number): Promise<readonly (string | null)[]>;
  /** Answers what other cores ask. */
  answer(source: (question: string) => Promise<string>): void;
}

/** A core that has not written for so long does not count any more. */
export const REGISTERED_MS = 5000;

/** So long a core waits for answers of the others. */
export const ASKED_MS = 3000;
