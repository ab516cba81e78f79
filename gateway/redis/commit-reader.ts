import type { CommitStreamReader, FeedPosition, StreamedCommit } from '../../core/contract.ts';
import { commitKey, confirmationChannel } from './commit-key.ts';
import {
  createRedisClient,
  endClient,
  type RedisAddress,
  type RedisClient,
  startClient,
} from './redis-client.ts';

/** Time of a read without new commits. */
const WAIT_MS = 1000;
/** Commits of one read. */
const PIECE = 100;

/** The stream of commits as gateways read it. */
export class CommitReader implements CommitStreamReader {
  readonly #prefix: string;
  /** A read that waits would delay other commands, so they have a connection of their own. */
  readonly #reads: RedisClient;
  readonly #confirmations: RedisClient;
  #confirmation: string | undefined;
  #isConfirming = false;

  constructor(address: RedisAddress) {
    this.#prefix = address.prefix;
    this.#reads = createRedisClient(address);
    this.#confirmations = createRedisClient(address);
  }

  /** @returns why Redis refuses this gateway; undefined where it does not, or cannot be reached at present */
  async start(): Promise<string | undefined> {
    const stream = { key: `${this.#prefix}:commits:probe`, id: '0' };
    const refusals = await Promise.all([
      startClient(
        this.#reads,
        () => this.#reads.xRead(stream, { COUNT: 1 }),
        () => {},
      ),
      startClient(
        this.#confirmations,
        () => this.#confirmations.publish(confirmationChannel(this.#prefix), ''),
        () => {},
      ),
    ]);
    return refusals.find((one) => one !== undefined);
  }

  async read({ sequence, epoch }: FeedPosition): Promise<readonly StreamedCommit[]> {
    const stream = { key: commitKey(this.#prefix, epoch), id: `${sequence}` };
    const found = await this.#reads.xRead(stream, { BLOCK: WAIT_MS, COUNT: PIECE });
    return (found?.[0]?.messages ?? []).map(({ id, message }) => readCommit(id, epoch, message));
  }

  /** One after another; of those that come meanwhile the last counts. */
  confirm(gateway: string, { epoch, sequence }: FeedPosition): void {
    this.#confirmation = `${gateway} ${epoch} ${sequence}`;
    if (!this.#isConfirming) void this.#confirm();
  }

  async close(): Promise<void> {
    await Promise.all([endClient(this.#reads), endClient(this.#confirmations)]);
  }

  async #confirm(): Promise<void> {
    this.#isConfirming = true;
    const channel = confirmationChannel(this.#prefix);
    while (this.#confirmation !== undefined) {
      const text = this.#confirmation;
      this.#confirmation = undefined;
      // Links confirm as well, a moment later.
      await this.#confirmations.publish(channel, text).catch(() => {});
    }
    this.#isConfirming = false;
  }
}

/** @throws Error for an entry that no core has written */
function readCommit(
  id: string,
  epoch: string,
  { core, time, changes }: Readonly<Record<string, string>>,
): StreamedCommit {
  const commit = {
    sequence: Number(id.replace(/-0$/, '')),
    epoch,
    core: core ?? '',
    time: Number(time),
    changes: parse(changes),
  };
  if (!Number.isSafeInteger(commit.sequence) || !Number.isFinite(commit.time))
    throw new Error('The stream of commits has an entry that no core has written.');
  return commit;
}

function parse(text = ''): StreamedCommit['changes'] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every(isChange)) return value;
  } catch {}
  throw new Error('The stream of commits has an entry that no core has written.');
}

function isChange(value: unknown): boolean {
  const { project, tags } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    (project === null || typeof project === 'string') &&
    Array.isArray(tags) &&
    tags.every((tag) => typeof tag === 'string')
  );
}
