import type { DocumentedSurface } from '../../support/clients/openapi-conformance.ts';

/** A request and its answer. */
export interface Sent {
  readonly surface: DocumentedSurface;
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  /** The gateway that was asked, or nginx. */
  readonly via: string;
  readonly began: number;
  readonly ended: number;
  /** Milliseconds of it that one part waited for a CPU, the most of all. */
  readonly busy: number;
  /** In milliseconds. */
  readonly deadline: number;
  /** Undefined: none arrived, or not to its end. */
  readonly answer: Answer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  readonly body: string;
}
