import type { Readable } from 'node:stream';
import { ServiceError } from '../../errors.ts';
import type { RemoteFigures } from './blobs.ts';
import { describeFailure, isAnswer } from './s3-failures.ts';
import type { S3BucketOptions, S3Deadlines } from './s3-options.ts';

const RETRY_AFTER_S = '5';

type CallKind = 'get' | 'head' | 'put' | 'list' | 'delete';

/** Counts the calls of a bucket, ends those during which the store is silent, and knows whether it answers. */
export class S3Calls {
  readonly #options: Pick<S3BucketOptions, 'bucket' | 'log'>;
  readonly #deadlines: S3Deadlines;
  readonly #calls: Record<string, number> = {};
  #failures = 0;
  #failure: string | undefined;
  /** When the last one began (`performance.now()`). */
  last = 0;

  constructor(options: Pick<S3BucketOptions, 'bucket' | 'log'>, deadlines: S3Deadlines) {
    this.#options = options;
    this.#deadlines = deadlines;
  }

  /** Why the store does not answer; undefined where it does. */
  get failure(): string | undefined {
    return this.#failure;
  }

  figures(): Pick<RemoteFigures, 'calls' | 'failures'> {
    return { calls: { ...this.#calls }, failures: this.#failures };
  }

  /**
   * Counts a call and ends it when there is no answer in time.
   * @param sent bytes that were sent so far: the deadline counts from the last one
   */
  async call<Answer>(
    kind: CallKind,
    send: (signal: AbortSignal) => Promise<Answer>,
    sent: () => number = () => 0,
  ): Promise<Answer> {
    const deadline = new AbortController();
    let before = 0;
    const check = () => {
      const now = sent();
      if (now === before) return deadline.abort(this.#silent());
      before = now;
      timer.refresh();
    };
    const timer = setTimeout(check, this.#deadlines.silent);
    this.#calls[kind] = (this.#calls[kind] ?? 0) + 1;
    this.last = performance.now();
    try {
      const answer = await send(deadline.signal);
      this.#answers();
      return answer;
    } catch (cause) {
      const error = deadline.signal.reason ?? cause;
      if (isAnswer(error)) this.#answers();
      else this.#fails(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The content of an answer, of so many bytes; reading it fails when the store pauses for too long or ends early. */
  async *received(
    body: Readable,
    length: number | undefined,
    isCancelled: () => boolean,
  ): AsyncGenerator<Buffer> {
    const chunks = body[Symbol.asyncIterator]();
    let received = 0;
    try {
      for (;;) {
        const timer = setTimeout(() => body.destroy(this.#silent()), this.#deadlines.silent);
        const next = await chunks.next().finally(() => clearTimeout(timer));
        if (next.done) break;
        received += next.value.length;
        if (length !== undefined && received > length) break;
        yield next.value;
      }
      if (length !== undefined && received !== length)
        throw new Error(`The store sent ${received > length ? 'more' : 'fewer'} than ${length} bytes.`);
    } catch (error) {
      if (!isCancelled()) this.#fails(error);
      throw unavailable(error);
    } finally {
      body.destroy();
    }
  }

  #silent(): Error {
    const message = `The store was silent for ${this.#deadlines.silent / 1000} s.`;
    return Object.assign(new Error(message), { name: 'TimeoutError' });
  }

  #answers(): void {
    if (this.#failure !== undefined) this.#options.log?.info({}, 'The store of files answers again.');
    this.#failure = undefined;
  }

  #fails(error: unknown): void {
    this.#failures += 1;
    const failure = describeFailure(error);
    if (this.#failure === undefined)
      this.#options.log?.warn(
        { bucket: this.#options.bucket, failure },
        'The store of files does not answer; only cached files are served, and uploads get 503.',
      );
    this.#failure = failure;
  }
}

export function unavailable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(
    'unavailable',
    'The store of files does not answer at present. Try again shortly.',
    { headers: { 'retry-after': RETRY_AFTER_S }, cause: new Error(describeFailure(error)) },
  );
}
