import { z } from 'zod';
import { findPerson } from '../access/sessions.ts';
import { type ConsoleAnswer, type ConsoleCall, requireGateway } from './call.ts';
import { recordFailure } from './sign-in.ts';

const REFUSED = z.strictObject({
  method: z.string().max(20),
  path: z.string().max(300),
  /** The `Origin` of the request. */
  origin: z.string().max(300).nullable(),
  /** Hash of the session whose cookie came with it. */
  session: z.string().max(100).nullable(),
});

/** A gateway has refused a write that no page of the console sent. */
export async function recordRefusedWrite(call: ConsoleCall): Promise<ConsoleAnswer> {
  requireGateway(call);
  const { method, path, origin, session } = await call.body(REFUSED);
  const person =
    session === null ? undefined : await findPerson(call.services.reader.sql, session, call.now());
  await recordFailure(call, 'write from another origin', `${method} ${path}`, person?.account, { origin });
  return { status: 204 };
}
