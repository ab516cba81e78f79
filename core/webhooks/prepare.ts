/**
 * Prepares bodies and headers of attempts: large batches in the worker tier, others here, by the same pure function.
 * A busy, late or missing tier stops no notification.
 */
import { availableParallelism } from 'node:os';
import { WorkerError, type Workers } from '../../workers/contract.ts';
import type { NotificationToPrepare, PreparedNotification } from '../../workers/webhooks/notification.ts';
import { prepareNotification } from '../../workers/webhooks/prepare-notification.ts';
import type { Message } from './message.ts';
import type { Secrets } from './queues/secrets.ts';

export interface PrepareSettings {
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  /** Adds the headers of Standard Webhooks. */
  readonly standardHeaders: boolean;
}

export interface ToPrepare {
  readonly message: Message;
  /** Bytes of an earlier attempt. */
  readonly body: string | null;
  /** From `signingSecrets`. */
  readonly secrets: readonly string[];
  /** `replay` or `test` for manual sends. */
  readonly mark?: string;
}

export type Prepare = (
  notifications: readonly ToPrepare[],
  /** Time of sending. */
  now: Date,
) => Promise<readonly PreparedNotification[]>;

/**
 * As many as a queue in backlog reads ahead. Measured: 32 notifications of one item cost this process 0.6 ms of CPU
 * either way; fewer are prepared faster than transferred.
 */
const MIN_BATCH = 32;
/**
 * Most items in a batch for the tier. Long bodies cost five times as much to transfer as to make: 1,000 items 2 ms
 * against 0.4 ms.
 */
const MAX_BATCH_ITEMS = 128;
/** A slower tier is busy or just starting, ms. */
const DEADLINE = 250;
/** Batches prepared here after the tier failed once, so that a busy tier seldom costs that wait. */
const SKIPPED_BATCHES = 100;

/**
 * @param workers absent = prepare everything here
 * @param cpus with two or fewer a host would take CPU time from the dispatcher
 */
export function createPrepare(
  settings: PrepareSettings,
  workers?: Pick<Workers, 'run'>,
  cpus: number = availableParallelism(),
): Prepare {
  const tier = cpus > 2 ? workers : undefined;
  let batchesToSkip = 0;
  return async (notifications, now) => {
    const inputs = notifications.map(
      ({ message, body, secrets, mark = null }): NotificationToPrepare => ({
        message,
        body,
        secrets,
        mark,
        timestamp: Math.floor(now.getTime() / 1000),
        ...settings,
      }),
    );
    if (tier && isBatchForTier(inputs)) {
      if (batchesToSkip > 0) batchesToSkip--;
      else {
        const prepared = await prepareInTier(tier, inputs);
        if (prepared) return prepared;
        batchesToSkip = SKIPPED_BATCHES;
      }
    }
    return inputs.map(prepareNotification);
  };
}

function isBatchForTier(inputs: readonly NotificationToPrepare[]): boolean {
  const items = inputs.reduce((sum, { message }) => sum + message.items.length, 0);
  return inputs.length >= MIN_BATCH && items <= MAX_BATCH_ITEMS;
}

/** Returns undefined when the tier failed; the caller then prepares the batch itself. */
async function prepareInTier(
  tier: Pick<Workers, 'run'>,
  notifications: readonly NotificationToPrepare[],
): Promise<readonly PreparedNotification[] | undefined> {
  try {
    const { prepared } = await tier.run('webhook-batch', { notifications }, { deadline: DEADLINE });
    return prepared.length === notifications.length ? prepared : undefined;
  } catch (error) {
    if (error instanceof WorkerError) return undefined;
    throw error;
  }
}

/**
 * The secrets that sign, first the one for the header that every receiver reads. While two sign, a receiver may have
 * either, and one written for a single secret reads `X-…-Signature` alone. So the old secret goes first, retries
 * alternate, and after an accepted attempt with the new secret first, the new one stays first. A receiver that
 * switches at any moment of the overlap sees at most one refused attempt, and none if it checks both headers.
 * @param attempts made before this one
 * @param newAccepted a receiver accepted an attempt with the current secret first during this overlap
 */
export function signingSecrets(
  { current, previous }: Secrets,
  now: Date,
  attempts: number,
  newAccepted: boolean,
): readonly string[] {
  if (previous === null || Date.parse(previous.until) <= now.getTime()) return [current];
  const currentFirst = newAccepted !== (attempts % 2 === 1);
  return currentFirst ? [current, previous.secret] : [previous.secret, current];
}
