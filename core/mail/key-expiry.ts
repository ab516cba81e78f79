import type { Storage, Transaction } from '../storage/ports.ts';
import { queueMail } from './outbox.ts';

const DAY = 86_400_000;
/** Spec section 3. */
const AHEAD = 5 * DAY;
const LOOK_AGAIN = 3_600_000;

/** Queues a mail five days before a management key expires. Searches the index of keys once an hour. */
export class KeyExpiry {
  readonly #storage: Pick<Storage, 'sql' | 'write'>;
  readonly #clock: () => Date;
  readonly #queued: () => void;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param queued called when the outbox has a new mail */
  constructor(
    storage: Pick<Storage, 'sql' | 'write'>,
    clock: () => Date,
    queued: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#storage = storage;
    this.#clock = clock;
    this.#queued = queued;
    this.#failed = failed;
  }

  start(): void {
    this.look();
    if (!this.#closed) this.#timer = setTimeout(() => this.start(), LOOK_AGAIN).unref();
  }

  /** Searches now. */
  look(): void {
    if (!this.#closed) this.#running = this.#running.then(() => this.#look()).catch(this.#failed);
  }

  async #look(): Promise<void> {
    const now = this.#clock().getTime();
    const keys = await this.#storage.sql.all<ExpiringKey & Record<string, string | number>>(
      `SELECT k.id AS id, k.tail AS tail, k.expires AS expires, a.name AS user_name, p.name AS project_name,
         p.number AS project
       FROM api_key k JOIN project p ON p.number = k.project JOIN account a ON a.id = k.account
       WHERE k.expires > ? AND k.expires <= ? AND k.revoked IS NULL AND k.kind = 'management' AND p.archived IS NULL
         AND NOT EXISTS (SELECT 1 FROM mail m WHERE m.occasion = 'key-expiring:' || k.id || ':' || k.expires)`,
      [new Date(now).toISOString(), new Date(now + AHEAD).toISOString()],
    );
    if (keys.length === 0) return;
    await this.#storage.write(async (tx) => {
      for (const key of keys) await queue(tx, key);
    });
    this.#queued();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}

interface ExpiringKey {
  readonly id: string;
  readonly tail: string;
  readonly expires: string;
  readonly user_name: string;
  readonly project_name: string;
  readonly project: number;
}

function queue(tx: Transaction, key: ExpiringKey): Promise<number> {
  const { id, tail, expires, user_name: user, project_name: project } = key;
  return queueMail(tx, key.project, { kind: 'key-expiring', key: { id, tail, user, expires, project } });
}
