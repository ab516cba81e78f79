import { Passwords } from '../access/passwords.ts';
import { admin } from '../admin/admin.ts';
import { answerConsole } from '../console/console.ts';
import { deliverPublished } from '../delivery/deliver-from-replica.ts';
import { deliver } from '../delivery/delivery.ts';
import { NO_LIMITS, withinLimits } from '../delivery/delivery-limits.ts';
import { permittedRequest } from '../delivery/permitted-request.ts';
import { serveFile } from '../files/serve-file.ts';
import { committing } from '../http/committed-sequence.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { SignedIn } from '../http/signed-in.ts';
import { manage } from '../management/management.ts';
import { diskFullOr } from '../storage/full-disk.ts';
import { Busy } from '../storage/read-scope.ts';
import { endedAfter } from '../turns/ended-after.ts';
import type { Core } from './core.ts';
import { managementReads } from './create-operations.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Resources } from './open-resources.ts';
import type { Background } from './start-background.ts';

/**
 * Longest wait of a write for its turn on PostgreSQL, where groups wait for the lock of other cores and for standbys; what it
 * waited before, for commits that it requires and for its person, is part of it. From its turn on, its own time, that of the
 * transactions that share its commit, and the commit with the look-up of its outcome (10 s) come on top. Later writes of the same
 * request have no such bound.
 */
const LONGEST_WAIT_MS = 5000;
/** A write has so long in any case. */
const SHORTEST_WAIT_MS = 1000;
/** Longest time of a read of management, admin and console there, which may have many statements with a deadline each. */
const LONGEST_READ_MS = 12_000;

function isRead({ method }: CoreRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @returns the function that answers a request by its surface */
export function openSurfaces(
  resources: Resources,
  readSide: ReadSide,
  { services, assets }: Background,
): Core['handle'] {
  const { options, compiled } = resources;
  const { delivery } = readSide;
  const limits = options.delivery ?? NO_LIMITS;
  // The setting is null for SQLite.
  const mayStall = Boolean(options.databaseUrl);
  const management = { ...compiled, ...options.management };

  /** Answers to writes have the sequence of their commit, or the newest one if they changed nothing. */
  const written = async (
    request: CoreRequest,
    arrived: number,
    answer: (own: Services) => Promise<CoreAnswer>,
  ): Promise<CoreAnswer> => {
    const reading = { ...services, ...managementReads(resources, readSide, request) };
    if (isRead(request)) return answer(reading);
    const left = Math.max(SHORTEST_WAIT_MS, LONGEST_WAIT_MS - (performance.now() - arrived));
    const own = committing(reading, request, mayStall ? left : undefined);
    const answered = await answer(own.operations);
    return { ...answered, sequence: own.committed() ?? delivery.versions.sequence };
  };

  const passwords = new Passwords();

  const signedIn = new SignedIn(resources.storage, resources.clock);

  /** To people only what they may view; a request with a key goes on without a wait. */
  const permitted =
    (answer: (request: CoreRequest) => Promise<CoreAnswer>) =>
    (request: CoreRequest): Promise<CoreAnswer> =>
      request.principal.kind !== 'session'
        ? answer(request)
        : signedIn
            .require(request)
            .then((person) => permittedRequest(signedIn.sql, person!, request))
            .then(answer);

  /** The answer once core has the commits that the request requires. */
  const caughtUp =
    (answer: (request: CoreRequest, arrived: number) => Promise<CoreAnswer>) =>
    (request: CoreRequest): Promise<CoreAnswer> => {
      const { atLeast, signal } = request;
      const arrived = performance.now();
      const behind = atLeast === undefined ? undefined : resources.storage.caughtUp(atLeast, signal);
      return behind ? behind.then(() => answer(request, arrived)) : answer(request, arrived);
    };
  /** The answer to a read in time, or 503. */
  const inTime =
    (answer: (request: CoreRequest) => Promise<CoreAnswer>) =>
    (request: CoreRequest): Promise<CoreAnswer> =>
      mayStall && isRead(request)
        ? endedAfter(
            LONGEST_READ_MS,
            request.signal,
            (signal) => answer({ ...request, signal }),
            () => new Busy(),
          )
        : answer(request);
  const answers = {
    delivery: permitted(caughtUp((request) => deliverPublished(delivery, request))),
    preview: permitted(caughtUp((request) => deliver(delivery, 'latest', request))),
    assets: caughtUp((request) => serveFile(assets.context, request)),
    admin: inTime(
      caughtUp(async (request, arrived) => {
        const person = await signedIn.require(request);
        return written(request, arrived, (own) =>
          admin(signedIn.whileSignedIn(own, request), request, { ...options.management, person }),
        );
      }),
    ),
    manage: inTime(
      caughtUp(async (request, arrived) => {
        const person = await signedIn.require(request);
        return written(request, arrived, (own) =>
          manage(signedIn.whileSignedIn(own, request), { ...management, person }, request),
        );
      }),
    ),
    console: inTime(
      caughtUp(async (request, arrived) => {
        const person = await signedIn.find(request);
        return written(request, arrived, (own) =>
          answerConsole(own, { passwords, now: resources.clock }, request, person),
        );
      }),
    ),
  };

  return async (request) => {
    const { surface } = request;
    const answer = answers[surface];
    try {
      return surface === 'delivery' || surface === 'preview'
        ? await withinLimits(limits, request, answer)
        : await answer(request);
    } catch (error) {
      throw diskFullOr(error);
    }
  };
}
