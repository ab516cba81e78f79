/** Which titles readers see. */
export interface ItemState {
  readonly latest: string | null;
  readonly published: string | null;
}

/** `state`: a call may lead to it from now on; `done`: it was answered. */
export interface WriteReport {
  readonly item: string;
  readonly state?: ItemState;
  readonly done?: true;
}

export function writeItem(options: {
  readonly item: string;
  readonly round: number;
  /** Rejects where the answer is no success. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<void>;
  readonly report: (report: WriteReport) => void;
}): Promise<never>;
