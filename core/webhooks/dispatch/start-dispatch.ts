import type { Workers } from '../../../workers/contract.ts';
import type { CommittedChanges, Storage } from '../../storage/ports.ts';
import { createPrepare } from '../prepare.ts';
import { WebhookQueueStore } from '../queues/webhook-queue-store.ts';
import { AddressGuard } from '../send/address-guard.ts';
import { Connections } from '../send/connections.ts';
import { systemResolver } from '../send/resolve-host.ts';
import { createSend, type Send } from '../send/send.ts';
import type { WebhookSettings } from '../webhook-settings.ts';
import { type DispatchClock, systemClock } from './dispatch-clock.ts';
import type { DispatchFigures } from './dispatch-counters.ts';
import { Dispatcher } from './dispatcher.ts';
import type { AttemptRecorded } from './dispatcher-options.ts';

/** Spec 6.1: an attempt fails without an answer within 60 s. */
const TIMEOUT = 60_000;
/** Shutdown waits this long for running attempts, ms. */
const DRAIN = 5_000;

export interface Dispatch {
  /** Makes one attempt with the same checks and bounds, outside any queue. */
  readonly send: Send;
  /** Must be called after every commit. */
  committed(changes: CommittedChanges, after?: Promise<void>): void;
  /** Must be called when commits were missed, or all data were replaced. */
  reset(): void;
  /** Must be called when another process ended: its queues are free. */
  takeOver(): void;
  figures(): DispatchFigures;
  /** Resolves when no attempt is running; all other notifications are due later. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Starts to deliver the notifications of the queues, which this process shares with others. */
export function startDispatch(options: {
  readonly storage: Storage;
  readonly settings: WebhookSettings;
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  readonly workers: Workers | undefined;
  readonly now: () => Date;
  readonly clock?: DispatchClock;
  /** Called for every attempt once its record is durable. */
  readonly onAttemptRecorded: (attempt: AttemptRecorded) => void;
  /** Queues are a duty of this process; without it, only manual sending works. */
  readonly isPerformed: boolean;
  readonly failed: (error: unknown) => void;
}): Dispatch {
  const { storage, settings, vendor, workers, now, onAttemptRecorded, isPerformed, failed } = options;
  const connections = new Connections(settings.certificateAuthority);
  const guard = new AddressGuard(settings.allow, systemResolver());
  const send = createSend({ guard, connections, timeout: TIMEOUT });
  const dispatcher = new Dispatcher({
    store: new WebhookQueueStore(storage),
    prepare: createPrepare({ vendor, standardHeaders: settings.standardHeaders }, workers),
    send,
    clock: options.clock ?? systemClock(now),
    owner: storage.owner,
    timeout: TIMEOUT,
    parallel: settings.parallel,
    drain: DRAIN,
    onAttemptRecorded,
    failed,
  });
  if (isPerformed) dispatcher.start();
  return {
    send,
    committed(changes, after) {
      if (isPerformed) dispatcher.committed(changes, after);
    },
    reset() {
      if (isPerformed) dispatcher.reset();
    },
    takeOver: () => dispatcher.takeOver(),
    figures: () => dispatcher.figures(),
    settled: () => dispatcher.settled(),
    close: async () => {
      await dispatcher.close();
      connections.close();
    },
  };
}
