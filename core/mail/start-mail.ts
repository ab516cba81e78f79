import type { CoreLog } from '../log.ts';
import type { Storage } from '../storage/ports.ts';
import { KeyExpiry } from './key-expiry.ts';
import { Postman } from './postman.ts';
import { type MailSettings, openTransport } from './transport.ts';
import { type LaneTurn, WebhookMails } from './webhook-mails.ts';

export interface RunningMail {
  /** Something was put into the outbox. */
  queued(): void;
  /** A management key was made or replaced. */
  keysChanged(): void;
  /** A webhook was tried. */
  laneTurned(turn: LaneTurn): void;
  close(): Promise<void>;
}

/** Starts all that sends mail or has something to say by mail. */
export function startMail(
  storage: Pick<Storage, 'sql' | 'write'>,
  settings: MailSettings,
  clock: () => Date,
  log: CoreLog,
): RunningMail {
  const postman = new Postman(storage, openTransport(settings), clock, (error, mail) =>
    log.warn(
      { err: error, ...(mail && { occasion: mail.name, attempts: mail.attempts + 1 }) },
      'A mail could not be sent; it is tried again.',
    ),
  );
  const queued = () => postman.wake();
  const keys = new KeyExpiry(storage, clock, queued, (error) =>
    log.error({ err: error }, 'Keys that expire soon could not be looked for; tried again in an hour.'),
  );
  const webhooks = new WebhookMails(storage, clock, queued, (error) =>
    log.error({ err: error }, 'A mail about a webhook could not be queued.'),
  );
  keys.start();
  webhooks.start();
  postman.wake();
  return {
    queued,
    keysChanged: () => keys.look(),
    laneTurned: (turn) => webhooks.told(turn),
    async close() {
      await keys.close();
      await webhooks.close();
      await postman.close();
    },
  };
}
