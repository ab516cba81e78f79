import { Passwords } from '../access/passwords.ts';
import { requirePermission } from '../access/permissions.ts';
import { permittedQuery } from '../access/permitted-query.ts';
import { findPerson, markSeen, type Person, requirePageOf } from '../access/sessions.ts';
import { admin } from '../admin/admin.ts';
import { answerConsole } from '../console/console.ts';
import { deliverPublished } from '../delivery/deliver-from-replica.ts';
import { deliver } from '../delivery/delivery.ts';
import { NO_LIMITS, withinLimits } from '../delivery/delivery-limits.ts';
import { ServiceError } from '../errors.ts';
import { serveFile } from '../files/serve-file.ts';
import { committing } from '../http/committed-sequence.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { splitPath } from '../http/split-path.ts';
import { manage } from '../management/management.ts';
import { diskFullOr } from '../storage/full-disk.ts';
import { busy } from '../storage/read-scope.ts';
import { endedAfter } from '../turns/ended-after.ts';
import type { Core } from './core.ts';
import { managementReads } from './create-operations.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Resources } from './open-resources.ts';
import type { Background } from './start-background.ts';

/** Collections of delivery and preview that are no content. */
const MODEL: ReadonlySet<string> = new Set(['types', 'taxonomies', 'languages']);

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

  /** Undefined where the request has no session, or one that has ended. */
  const findSignedIn = async ({ principal }: CoreRequest): Promise<Person | undefined> => {
    if (principal.kind !== 'session') return undefined;
    const { sql } = resources.storage.reader({ class: 'lookup', share: 'sessions' });
    const person = await findPerson(sql, principal.hash, resources.clock());
    // Where nothing can be written, people still read.
    if (person?.isSeenLate)
      resources.storage.write((tx) => markSeen({ tx }, person.session), 'sessions').catch(() => {});
    return person;
  };

  /** Undefined where a key or the admin token was used. @throws unauthorized where a session has ended, or is another person's than the page's */
  const signedIn = async (request: CoreRequest): Promise<Person | undefined> => {
    const { principal } = request;
    if (principal.kind !== 'session') return undefined;
    const person = await findSignedIn(request);
    if (!person) throw new ServiceError('unauthorized', 'You are not signed in, or your session has ended.');
    requirePageOf(person, principal.user);
    return person;
  };

  /** What the person who is signed in may view; requests of others stay as they are. */
  const permitted =
    (answer: (request: CoreRequest) => Promise<CoreAnswer>) =>
    (request: CoreRequest): Promise<CoreAnswer> =>
      request.principal.kind === 'session' ? viewed(request, answer) : answer(request);

  const viewed = async (
    request: CoreRequest,
    answer: (request: CoreRequest) => Promise<CoreAnswer>,
  ): Promise<CoreAnswer> => {
    const person = (await signedIn(request)) as Person;
    const { sql } = resources.storage.reader({ class: 'lookup', share: 'sessions' });
    const [project = '', collection = ''] = splitPath(request.path);
    const access = await requirePermission(sql, person, project, 'view-content');
    // Roles limit content, not the model.
    if (access === undefined || MODEL.has(collection)) return answer(request);
    return answer({ ...request, query: permittedQuery(request.query, access['view-content']) });
  };

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
            () => busy(),
          )
        : answer(request);
  const answers = {
    delivery: permitted(caughtUp((request) => deliverPublished(delivery, request))),
    preview: permitted(caughtUp((request) => deliver(delivery, 'latest', request))),
    assets: caughtUp((request) => serveFile(assets.context, request)),
    admin: inTime(
      caughtUp(async (request, arrived) => {
        const person = await signedIn(request);
        return written(request, arrived, (own) => admin(own, request, { ...options.management, person }));
      }),
    ),
    manage: inTime(
      caughtUp(async (request, arrived) => {
        const person = await signedIn(request);
        return written(request, arrived, (own) => manage(own, { ...management, person }, request));
      }),
    ),
    console: inTime(
      caughtUp(async (request, arrived) => {
        const person = await findSignedIn(request);
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
