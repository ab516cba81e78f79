import { z } from 'zod';
import { writeAuditEntry } from '../access/audit.ts';
import {
  addPerson,
  checkPassword,
  findPersonByEmail,
  findPersonById,
  hasPeople,
  type PersonRow,
  setPassword,
} from '../access/people.ts';
import { confirmSession, endSession, endSessions, startSession } from '../access/sessions.ts';
import { takeLink } from '../access/sign-in-links.ts';
import { createUser } from '../access/users.ts';
import { ServiceError } from '../errors.ts';
import type { Installation } from '../transaction/installation.ts';
import { type ConsoleAnswer, type ConsoleCall, signedIn } from './call.ts';
import { endedCookie, sessionCookie } from './console-cookie.ts';

const text = z.string().max(1000);

export const PASSWORD_CHANGE = z.strictObject({
  current: text.describe('The password until now.'),
  password: text.describe('The new one.'),
});

/** Signs in with mail address and password. */
export async function signIn(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { email, password } = await call.body(z.strictObject({ email: text, password: text }));
  const person = await findPersonByEmail(call.services.reader.sql, email);
  const isRight = await call.passwords.verify(password, person?.password ?? null);
  if (!person || !isRight) {
    await recordFailure(call, 'sign in', email);
    throw new ServiceError('unauthorized', 'The mail address or the password is wrong.');
  }
  const { account } = person;
  const services = call.audited({ act: 'sign in', subject: 'session', actor: account });
  const token = await services.installation(account, async (to) => {
    await requireUnchanged(to, person, 'unauthorized');
    return startSession(to, account, call.client);
  });
  return { status: 201, cookie: sessionCookie(token, call.base) };
}

/**
 * Signs in with a one-time link. The link of the first start makes the first user, an operator; any other may set a new
 * password.
 */
export async function signInByLink(call: ConsoleCall): Promise<ConsoleAnswer> {
  const input = await call.body(
    z.strictObject({
      token: text,
      name: text.optional(),
      email: text.optional(),
      password: text.optional(),
    }),
  );
  if (input.password !== undefined) checkPassword(input.password);
  const hash = input.password === undefined ? undefined : await call.passwords.hash(input.password);
  const act = {
    act: hash === undefined ? 'sign in by link' : 'sign in by link, with a new password',
    subject: 'session',
    actor: 'sign-in link',
  };
  const services = call.audited(act);
  try {
    const token = await services.installation(null, async (installation) => {
      let account = await takeLink(installation, input.token);
      if (account === null) {
        if (await hasPeople(installation.tx))
          throw new ServiceError(
            'unauthorized',
            "The link was for the first user, and there is one. 'headwater user sign-in-link --email ADDRESS' makes one for a user.",
          );
        const { name = '', email = '' } = input;
        if (hash === undefined) checkPassword('');
        ({ id: account } = await createUser(installation, { name, email }));
        await addPerson(installation, { account, email, isOperator: true });
      }
      act.actor = account;
      if (hash !== undefined) {
        await setPassword(installation, account, hash);
        await endSessions(installation, account);
      }
      return startSession(installation, account, call.client);
    });
    return { status: 201, cookie: sessionCookie(token, call.base) };
  } catch (error) {
    if (error instanceof ServiceError && error.errorName === 'unauthorized')
      await recordFailure(call, 'sign in by link', 'session');
    throw error;
  }
}

/** What a link is for, so that the page asks for what is needed. Does not use the link up. */
export async function describeLink(call: ConsoleCall): Promise<ConsoleAnswer> {
  const isFirst = !(await hasPeople(call.services.reader.sql));
  return { status: 200, body: { first_user: isFirst } };
}

/** Checks the password again, for acts that need it. */
export async function confirm(call: ConsoleCall): Promise<ConsoleAnswer> {
  const person = signedIn(call);
  const { password } = await call.body(z.strictObject({ password: text }));
  const found = await requirePassword(call, person.account, password, 'confirm the password');
  await call.services.installation(person.account, async (to) => {
    await requireUnchanged(to, found, 'forbidden');
    await confirmSession(to, person.session);
  });
  return { status: 204 };
}

/** Ends every other session. */
export async function changePassword(call: ConsoleCall): Promise<ConsoleAnswer> {
  const person = signedIn(call);
  const { current, password } = await call.body(PASSWORD_CHANGE);
  checkPassword(password);
  const found = await requirePassword(call, person.account, current, 'change the password');
  const hash = await call.passwords.hash(password);
  const services = call.audited({
    act: 'change the password',
    subject: `users/${person.account}`,
    actor: person.account,
  });
  await services.installation(person.account, async (installation) => {
    await requireUnchanged(installation, found, 'forbidden');
    await setPassword(installation, person.account, hash);
    await endSessions(installation, person.account, person.session);
  });
  return { status: 204 };
}

export async function signOut(call: ConsoleCall): Promise<ConsoleAnswer> {
  const person = call.person && signedIn(call);
  if (person) {
    const services = call.audited({ act: 'sign out', subject: 'session', actor: person.account });
    await services.installation(person.account, (to) => endSession(to, person.account, person.session));
  }
  return { status: 204, cookie: endedCookie(call.base) };
}

/**
 * For a password that was checked before the transaction: another one may have been set meanwhile.
 * @throws the error of a wrong password
 */
async function requireUnchanged(
  { tx }: Installation,
  { account, password }: PersonRow,
  error: 'unauthorized' | 'forbidden',
): Promise<void> {
  const now = await findPersonById(tx, account);
  if (now === undefined || now.password !== password)
    throw new ServiceError(error, 'The password was changed meanwhile. Sign in again.');
}

/** @throws forbidden for a wrong password: the session stays */
async function requirePassword(
  call: ConsoleCall,
  account: string,
  password: string,
  act: string,
): Promise<PersonRow> {
  const found = await findPersonById(call.services.reader.sql, account);
  if ((await call.passwords.verify(password, found?.password ?? null)) && found) return found;
  await recordFailure(call, act, `users/${account}`, account);
  throw new ServiceError('forbidden', 'The password is wrong.');
}

/** A failure has no change that its entry could be written with. */
export async function recordFailure(
  { services, client, request }: ConsoleCall,
  act: string,
  subject: string,
  actor = 'unknown',
  detail: Readonly<Record<string, string | null>> = {},
): Promise<void> {
  await services.installation(null, ({ tx }) =>
    writeAuditEntry(tx, {
      project: null,
      act: `refused: ${act}`,
      subject: subject.slice(0, 320),
      detail: JSON.stringify(detail),
      actor,
      origin: client.address,
      request,
    }),
  );
}
