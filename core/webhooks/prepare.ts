/**
 * Bodies and headers of attempts, made in the worker tier where there are many at once, else here: the same pure
 * function either way, and a tier that is busy, late or gone stops no notification.
 */
import { availableParallelism } from 'node:os';
import { WorkerError, type Workers } from '../../workers/contract.ts';
import type { NotificationToPrepare, PreparedNotification } from '../../workers/webhooks/notification.ts';
import { prepareNotification } from '../../workers/webhooks/prepare-notification.ts';
import type { Secrets } from './lanes/lane-types.ts';
import type { Message } from './message.ts';

export interface PrepareSettings {
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  /** Also the headers of Standard Webhooks. */
  readonly standardHeaders: boolean;
}

export interface ToPrepare {
  readonly message: Message;
  /** Frozen bytes of an earlier attempt. */
  readonly body: string | null;
  /** From `signingSecrets`. */
  readonly secrets: readonly string[];
  /** `replay` or `test`, for what is sent by hand. */
  readonly mark?: string;
}

export type Prepare = (
  notifications: readonly ToPrepare[],
  /** When they are sent. */
  now: Date,
) => Promise<readonly PreparedNotification[]>;

/**
 * As many as a lane in backlog reads ahead. Measured: 32 of one item cost this process 0.6 ms of CPU either way, and
 * fewer are made faster than they are handed over.
 */
const WORTH_HANDING_OVER = 32;
/** Items in them all. Long bodies cost five times as much to hand over as to make: 1,000 items 2 ms against 0.4 ms. */
const ITEMS_HANDED_OVER = 128;
/** A tier that takes longer has other things to do, or just starts, ms. */
const DEADLINE = 250;
/** Batches that are made here after it did not work out, so that a busy tier costs that wait once in a while. */
const LEFT_ALONE = 100;

/**
 * @param workers absent: everything is done here
 * @param cpus with two or fewer a host would take its time from whoever sends
 */
export function createPrepare(
  settings: PrepareSettings,
  workers?: Pick<Workers, 'run'>,
  cpus: number = availableParallelism(),
): Prepare {
  const tier = cpus > 2 ? workers : undefined;
  let leftAlone = 0;
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
    if (tier && isWorthHandingOver(inputs)) {
      if (leftAlone > 0) leftAlone--;
      else {
        const prepared = await inTier(tier, inputs);
        if (prepared) return prepared;
        leftAlone = LEFT_ALONE;
      }
    }
    return inputs.map(prepareNotification);
  };
}

function isWorthHandingOver(inputs: readonly NotificationToPrepare[]): boolean {
  const items = inputs.reduce((sum, { message }) => sum + message.items.length, 0);
  return inputs.length >= WORTH_HANDING_OVER && items <= ITEMS_HANDED_OVER;
}

/** undefined: it did not work out, and nobody needs to know. */
async function inTier(
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
 * Secrets that sign now, first the one for the header that every receiver reads. While two sign, a receiver may
 * have either, and one that was not written for two looks at `X-…-Signature` alone. So the old one goes first,
 * every retry has it the other way round, and once an attempt got through that the new one signed first, the new
 * one stays first: a receiver that is given the new secret at any moment of the overlap sees at most one refused
 * attempt, and none if it checks both headers.
 * @param attempts made before this one
 * @param newAccepted an attempt that the current secret signed first got through during this overlap
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
