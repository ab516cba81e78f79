import type { Workers } from '../../../workers/contract.ts';
import type { CommittedChanges, Storage } from '../../storage/ports.ts';
import { LaneStore } from '../lanes/lane-store.ts';
import { createPrepare } from '../prepare.ts';
import { AddressGuard } from '../send/address-guard.ts';
import { Connections } from '../send/connections.ts';
import { systemResolver } from '../send/resolve-host.ts';
import { createSend, type Send } from '../send/send.ts';
import { type DispatchClock, systemClock } from './dispatch-clock.ts';
import type { DispatchFigures } from './dispatch-counters.ts';
import { Dispatcher } from './dispatcher.ts';
import type { LaneNews } from './dispatcher-options.ts';

/** Spec 6.1: no answer within 60 s is none. */
const TIMEOUT = 60_000;
/** A stop waits so long for attempts under way, ms. */
const DRAIN = 5_000;
/** Whoever has the data folder has all lanes; what a killed process held is taken up at once. */
const OWNER = 'owner-of-the-data-folder';

export interface WebhookSettings {
  /** Private targets that are let through: addresses, ranges, hosts, `*.domain`. */
  readonly allow: readonly string[];
  /** PEM of certificate authorities that are trusted beside the usual ones. */
  readonly certificateAuthority?: string | undefined;
  readonly standardHeaders: boolean;
  /** Attempts under way at most. */
  readonly parallel: number;
}

export const DEFAULT_WEBHOOK_SETTINGS: WebhookSettings = {
  allow: [],
  standardHeaders: true,
  parallel: 500,
};

export interface Dispatch {
  /** One attempt with the same checks and bounds, apart from any lane. */
  readonly send: Send;
  /** To be called with every commit. */
  committed(changes: CommittedChanges): void;
  figures(): DispatchFigures;
  /** Resolves when nothing is under way: what is left is due later. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Sends what the lanes hold, from now on. */
export function startDispatch(options: {
  readonly storage: Storage;
  readonly settings: WebhookSettings;
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  readonly workers: Workers | undefined;
  readonly now: () => Date;
  readonly clock?: DispatchClock;
  /** Told of every attempt once it is on record. */
  readonly told: (news: LaneNews) => void;
  readonly failed: (error: unknown) => void;
}): Dispatch {
  const { storage, settings, vendor, workers, now, told, failed } = options;
  const connections = new Connections(settings.certificateAuthority);
  const guard = new AddressGuard(settings.allow, systemResolver());
  const send = createSend({ guard, connections, timeout: TIMEOUT });
  const dispatcher = new Dispatcher({
    store: new LaneStore(storage),
    prepare: createPrepare({ vendor, standardHeaders: settings.standardHeaders }, workers),
    send,
    clock: options.clock ?? systemClock(now),
    owner: OWNER,
    timeout: TIMEOUT,
    parallel: settings.parallel,
    drain: DRAIN,
    told,
    failed,
  });
  dispatcher.start();
  return {
    send,
    committed: (changes) => dispatcher.committed(changes),
    figures: () => dispatcher.figures(),
    settled: () => dispatcher.settled(),
    close: async () => {
      await dispatcher.close();
      connections.close();
    },
  };
}
