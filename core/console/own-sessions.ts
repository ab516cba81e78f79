import { projectsOf } from '../access/permissions.ts';
import { endSession, listSessions, type SessionListing } from '../access/sessions.ts';
import { type ConsoleAnswer, type ConsoleCall, personOfSession, signedIn } from './call.ts';

/** Who is signed in, and the projects of that person. */
export async function describeSession(call: ConsoleCall): Promise<ConsoleAnswer> {
  const person = personOfSession(call);
  const { account, name, email, isOperator, isConfirmed } = person;
  return {
    status: 200,
    body: {
      person: { id: account, name, email, is_operator: isOperator },
      is_confirmed: isConfirmed,
      ends_in: Math.ceil(person.endsInMs / 1000),
      projects: await projectsOf(call.services.reader.sql, person),
    },
  };
}

export async function ownSessions(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { account, session } = signedIn(call);
  const rows = await listSessions(call.services.reader.sql, account, call.now());
  const toJson = (row: SessionListing) => ({ ...row, is_current: row.id === session });
  return { status: 200, body: { sessions: rows.map(toJson) } };
}

export async function endOwnSession(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { account } = signedIn(call);
  const id = call.at('session');
  const services = call.audited({ act: 'end a session', subject: `sessions/${id}`, actor: account });
  await services.installation(account, (to) => endSession(to, account, id));
  return { status: 204 };
}
