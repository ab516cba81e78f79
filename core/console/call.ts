import type { z } from 'zod';
import type { AuditedCall } from '../access/audit.ts';
import type { Passwords } from '../access/passwords.ts';
import { type Client, type Person, requirePageOf } from '../access/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { Principal } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import type { CancelSignal } from '../turns/cancel-signal.ts';

/** What the calls of the console need beside the services. */
export interface ConsoleParts {
  readonly passwords: Passwords;
  readonly now: () => Date;
}

/** One request of the console for its own calls: signing in, sessions. */
export interface ConsoleCall extends ConsoleParts {
  readonly services: Services;
  readonly principal: Principal;
  /** Who is signed in; undefined = no one. */
  readonly person: Person | undefined;
  readonly client: Client;
  readonly query: URLSearchParams;
  /** The gateway itself calls, for its event streams. */
  readonly isGateway: boolean;
  /** Base URL of the console. */
  readonly base: string;
  /** Fires when the caller is gone. */
  readonly signal: CancelSignal | undefined;
  /** Id of the request. */
  readonly request: string;
  at(name: string): string;
  /** @throws invalidBody */
  body<Type extends z.ZodType>(type: Type): Promise<z.infer<Type>>;
  /** Services that write this to the audit log, as it is after their change, in the same transaction. */
  audited(entry: Pick<AuditedCall, 'act' | 'subject' | 'actor'>): Services;
}

export interface ConsoleAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly cookie?: string;
}

/** @throws unauthorized, also where the page was made for another person */
export function signedIn(call: Pick<ConsoleCall, 'person' | 'principal'>): Person {
  const person = personOfSession(call);
  if (call.principal.kind === 'session') requirePageOf(person, call.principal.user);
  return person;
}

/** The same for any page: it finds out who is signed in. @throws unauthorized */
export function personOfSession({ person }: Pick<ConsoleCall, 'person'>): Person {
  if (person) return person;
  throw new ServiceError('unauthorized', 'You are not signed in, or your session has ended.');
}

/**
 * Only gateways themselves call with the principal of the admin token here: the plugin `session` gives none.
 * @throws noSuchResource
 */
export function requireGateway({ isGateway }: Pick<ConsoleCall, 'isGateway'>): void {
  if (!isGateway) throw new ServiceError('noSuchResource', 'The console has no call at this URL.');
}
