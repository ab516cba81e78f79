import { findPerson, markSeen, type Person, requirePageOf } from '../access/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/ports.ts';
import type { Operations } from '../transaction/operations.ts';
import type { CoreRequest } from './request.ts';

/** Finds who is signed in, for each request: an ended session is refused at once. */
export class SignedIn {
  readonly #storage: Storage;
  readonly #now: () => Date;

  constructor(storage: Storage, now: () => Date) {
    this.#storage = storage;
    this.#now = now;
  }

  get sql() {
    return this.#storage.reader({ class: 'lookup', share: 'sessions' }).sql;
  }

  /** Undefined where the request has no session, or one that has ended. */
  async find({ principal }: Pick<CoreRequest, 'principal'>): Promise<Person | undefined> {
    if (principal.kind !== 'session') return undefined;
    const person = await findPerson(this.sql, principal.hash, this.#now());
    // Where nothing can be written, people still read.
    if (person?.isSeenLate)
      this.#storage.write((tx) => markSeen({ tx }, person.session), 'sessions').catch(() => {});
    return person;
  }

  /**
   * Undefined where a key or the admin token was used.
   * @throws unauthorized where a session has ended, or is another person's than the page's
   */
  async require(request: Pick<CoreRequest, 'principal'>): Promise<Person | undefined> {
    const { principal } = request;
    if (principal.kind !== 'session') return undefined;
    const person = await this.find(request);
    if (!person) throw new ServiceError('unauthorized', 'You are not signed in, or your session has ended.');
    requirePageOf(person, principal.user);
    return person;
  }

  /** Operations that write nothing once the session has ended: the body of a request may come for minutes. */
  whileSignedIn<Type extends Operations>(operations: Type, request: Pick<CoreRequest, 'principal'>): Type {
    if (request.principal.kind !== 'session') return operations;
    return {
      ...operations,
      inProject: async (...work) => {
        await this.require(request);
        return operations.inProject(...work);
      },
      installation: async (...work) => {
        await this.require(request);
        return operations.installation(...work);
      },
    };
  }
}
