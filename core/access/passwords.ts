import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '../errors.ts';

/** RFC 7914. Measured: 185 ms and 67 MB for one password. */
const COST: ScryptOptions = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 2 ** 20 };
const BYTES = 32;
/** OWASP and NIST SP 800-63B: length counts, composition does not. */
export const SHORTEST_PASSWORD = 12;
/** Characters; the time of scrypt hardly depends on the length. */
export const LONGEST_PASSWORD = 1000;
/** Passwords that may wait for their turn. */
const LONGEST_QUEUE = 20;

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

/**
 * Makes and checks password hashes, one at a time: scrypt runs in the few threads that also read the database.
 * A hash is `scrypt$<N>$<r>$<p>$<salt>$<key>`, in base64url.
 */
export class Passwords {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const key = await this.#inTurn(() => derive(password.normalize('NFKC'), salt, BYTES, COST));
    const { N, r, p } = COST;
    return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
  }

  /**
   * Takes as long for a user without a password, so that the time does not tell which users there are.
   * @throws unavailable while too many passwords are being checked
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const [, N, r, p, salt = '', key = ''] = hash?.split('$') ?? [];
    const cost = hash === null ? COST : { ...COST, N: Number(N), r: Number(r), p: Number(p) };
    const expected = Buffer.from(key, 'base64url');
    const actual = await this.#inTurn(() =>
      derive(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), BYTES, cost),
    );
    return hash !== null && expected.length === BYTES && timingSafeEqual(actual, expected);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= LONGEST_QUEUE)
      throw new ServiceError(
        'unavailable',
        'Too many people sign in right now. Try again in a few seconds.',
        {
          headers: { 'retry-after': '5' },
        },
      );
    this.#waiting += 1;
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }
}
