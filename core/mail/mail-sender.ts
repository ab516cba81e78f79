import { findPersonById } from '../access/people.ts';
import { createLink } from '../access/sign-in-links.ts';
import { BackgroundDuty } from '../jobs/background-duty.ts';
import { type Duty, SOLE_DUTY } from '../storage/owner.ts';
import type { Storage } from '../storage/ports.ts';
import { timestamp } from '../storage/timestamp.ts';
import { clearOld, dueMails, markFailed, markSent, nextMail, type WaitingMail } from './outbox.ts';
import { renderMail, type SignInLink } from './render-mail.ts';
import { type MailTransport, mailMessageId } from './transport.ts';

const MINUTE = 60_000;
/** A mail that the server refuses is retried for three days; each pause doubles, up to an hour. */
const LONGEST_PAUSE = 60 * MINUTE;
const GIVE_UP = 3 * 24 * 60 * MINUTE;
/** Settled mails are kept this long to prevent duplicates. */
const KEPT_MS = 90 * 24 * 60 * MINUTE;
/** The sender rereads the clock this often while a mail waits, because the clock may be set. */
const LOOK_AGAIN = MINUTE;
const BATCH = 20;
/** When the service stops, the mail server has this long to accept the mail that is under way. */
const DRAIN_MS = 2000;
/** How long the link of an invitation is valid. */
const INVITATION_DAYS = 3;
const DAY_MINUTES = 24 * 60;

/**
 * Sends the mails in the outbox at once, and retries while the mail server refuses them. It records sent mails; a
 * crash between the two sends a mail again under the same Message-ID. It has no timer while nothing waits.
 */
export class MailSender extends BackgroundDuty {
  readonly #storage: Pick<Storage, 'sql' | 'write'>;
  readonly #transport: MailTransport;
  readonly #clock: () => Date;
  readonly #notSent: (error: unknown, mail: WaitingMail, isGivenUp: boolean) => void;
  /** Ids of sent mails that could not be recorded: a full disk must not repeat them every minute. */
  readonly #unrecorded = new Set<string>();
  readonly #lookAgain: number | undefined;
  readonly #stopped = new AbortController();
  /** Since old mails were removed. */
  #hasSent = true;

  constructor(
    storage: Pick<Storage, 'sql' | 'write'>,
    transport: MailTransport,
    clock: () => Date,
    failed: (error: unknown, mail?: WaitingMail, isGivenUp?: boolean) => void,
    duty: Duty = SOLE_DUTY,
  ) {
    super({ failed, afterFailure: LOOK_AGAIN, duty });
    this.#storage = storage;
    this.#transport = transport;
    this.#clock = clock;
    this.#notSent = failed;
    this.#lookAgain = duty.lookAgain;
  }

  override async close(): Promise<void> {
    const timer = setTimeout(() => this.#stopped.abort(), DRAIN_MS);
    await super.close();
    clearTimeout(timer);
    this.#transport.close();
  }

  protected async work(): Promise<void> {
    const mails = await dueMails(this.#storage.sql, this.#after(0), BATCH);
    for (const mail of mails) {
      if (this.isStopped) return;
      await this.#send(mail);
    }
    // There may be another batch.
    if (mails.length === 0) return;
    this.#hasSent = true;
    this.wake();
  }

  protected async next(): Promise<number | undefined> {
    const next = await nextMail(this.#storage.sql);
    if (next !== undefined)
      return Math.min(this.#lookAgain ?? LOOK_AGAIN, Date.parse(next) - this.#clock().getTime());
    if (this.#hasSent) await this.#storage.write((tx) => clearOld(tx, this.#after(-KEPT_MS)));
    this.#hasSent = false;
    return this.#lookAgain;
  }

  async #send(mail: WaitingMail): Promise<void> {
    const id = mailMessageId(mail.name, mail.address);
    if (await this.#isVoid(mail)) {
      await this.#storage.write((tx) =>
        markFailed(tx, mail.number, 'The user was removed, or has another address.', null),
      );
      return;
    }
    try {
      if (!this.#unrecorded.has(id))
        await this.#transport.send(
          {
            ...renderMail(mail.event, await this.#linkFor(mail)),
            to: mail.address,
            id,
            date: new Date(mail.created),
          },
          this.#stopped.signal,
        );
    } catch (error) {
      const pause = Math.min(MINUTE * 2 ** mail.attempts, LONGEST_PAUSE);
      const late = this.#clock().getTime() - Date.parse(mail.created) > GIVE_UP;
      this.#notSent(error, mail, late);
      const { message } = error as Error;
      await this.#storage.write((tx) =>
        markFailed(tx, mail.number, message, late ? null : this.#after(pause)),
      );
      return;
    }
    this.#unrecorded.add(id);
    await this.#storage.write((tx) => markSent(tx, mail.number));
    this.#unrecorded.delete(id);
  }

  async #isVoid({ address, event }: WaitingMail): Promise<boolean> {
    if (event.kind !== 'invitation') return false;
    return (await findPersonById(this.#storage.sql, event.invitation.account))?.email !== address;
  }

  /** Made for each attempt: the table of mails has no secret. */
  async #linkFor({ event }: WaitingMail): Promise<SignInLink | undefined> {
    if (event.kind !== 'invitation') return undefined;
    const { account } = event.invitation;
    const token = await this.#storage.write((tx) =>
      createLink({ tx }, account, INVITATION_DAYS * DAY_MINUTES),
    );
    return { token, days: INVITATION_DAYS };
  }

  #after(milliseconds: number): string {
    return timestamp(this.#clock().getTime() + milliseconds);
  }
}
