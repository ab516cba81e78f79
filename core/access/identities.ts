import { ServiceError } from '../errors.ts';
import type { Installation } from '../transaction/installation.ts';
import { addPerson, findPersonByEmail } from './people.ts';
import { createUser } from './users.ts';

/** A person as an OpenID provider knows it. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Verified by the provider. */
  readonly email: string;
  readonly name: string;
}

/**
 * Finds the user of an identity. The first time it is the one with the mail address; from then on the subject decides, so
 * that an address which the provider gives to somebody else opens nothing.
 * @param createsUser makes a user where there is none
 * @returns the account
 * @throws unauthorized
 */
export async function userOfIdentity(
  installation: Installation,
  identity: Identity,
  createsUser: boolean,
): Promise<string> {
  const { tx } = installation;
  const { issuer, subject, email, name } = identity;
  const known = await tx.get<{ account: string }>(
    'SELECT account FROM identity WHERE issuer = ? AND subject = ?',
    [issuer, subject],
  );
  if (known) return known.account;
  const account = (await findPersonByEmail(tx, email))?.account;
  if (account !== undefined) {
    const other = await tx.get('SELECT 1 AS one FROM identity WHERE issuer = ? AND account = ?', [
      issuer,
      account,
    ]);
    if (other) throw refusal('The user with this mail address signs in as another person of the provider.');
  } else if (!createsUser) throw refusal('There is no user with the mail address that the provider gave.');
  const found = account ?? (await createPerson(installation, name, email));
  await tx.insert(
    'identity',
    ['issuer', 'subject', 'account', 'created'],
    [[issuer, subject, found, tx.now]],
  );
  return found;
}

async function createPerson(installation: Installation, name: string, email: string): Promise<string> {
  const { id } = await createUser(installation, { name, email });
  await addPerson(installation, { account: id, email, isOperator: false });
  return id;
}

function refusal(message: string): ServiceError {
  return new ServiceError('unauthorized', message);
}
