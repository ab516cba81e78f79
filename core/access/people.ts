import { ServiceError } from '../errors.ts';
import { Issues } from '../model/issues.ts';
import type { Sql } from '../storage/sql.ts';
import { type Installation, recordInstallationChange } from '../transaction/installation.ts';
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from './passwords.ts';

/** A user who can sign in. */
export interface PersonRow {
  readonly account: string;
  readonly name: string;
  readonly email: string;
  readonly password: string | null;
  readonly operator: number;
}

const PERSON = `SELECT p.account AS account, a.name AS name, a.email AS email, p.password AS password,
  p.operator AS operator FROM person p JOIN account a ON a.id = p.account WHERE a.removed IS NULL`;

/** Whether any user can sign in. */
export async function hasPeople(sql: Sql): Promise<boolean> {
  return (await sql.get('SELECT 1 AS one FROM person LIMIT 1')) !== undefined;
}

export function listPeople(sql: Sql): Promise<PersonRow[]> {
  return sql.all<PersonRow>(`${PERSON} ORDER BY a.created, a.id`);
}

/** @param email in any case */
export function findPersonByEmail(sql: Sql, email: string): Promise<PersonRow | undefined> {
  return sql.get<PersonRow>(`${PERSON} AND p.sign_in = ?`, [signInName(email)]);
}

export function findPersonById(sql: Sql, account: string): Promise<PersonRow | undefined> {
  return sql.get<PersonRow>(`${PERSON} AND p.account = ?`, [account]);
}

/**
 * Lets a user sign in.
 * @throws conflict where another user signs in with this mail address
 */
export async function addPerson(
  { tx }: Installation,
  person: { readonly account: string; readonly email: string; readonly isOperator: boolean },
): Promise<void> {
  await refuseTaken(tx, person);
  await tx.insert(
    'person',
    ['account', 'sign_in', 'operator'],
    [[person.account, signInName(person.email), person.isOperator ? 1 : 0]],
  );
}

/** Sets whether a user may do everything in the installation. @throws conflict for the last operator */
export async function setOperator(
  installation: Installation,
  account: string,
  isOperator: boolean,
): Promise<void> {
  const { tx } = installation;
  if (!isOperator) await refuseLastOperator(tx, account);
  await tx.run('UPDATE person SET operator = ? WHERE account = ?', [isOperator ? 1 : 0, account]);
  recordInstallationChange(installation, {
    type: 'user',
    operation: 'upsert',
    object: account,
    tags: ['users'],
  });
}

/** For a changed mail address. @throws conflict */
export async function renamePerson(
  { tx }: Installation,
  person: { readonly account: string; readonly email: string },
): Promise<void> {
  await refuseTaken(tx, person);
  await tx.run('UPDATE person SET sign_in = ? WHERE account = ?', [signInName(person.email), person.account]);
  // A link that was sent to the former address must not open the account.
  await tx.run('DELETE FROM sign_in_link WHERE account = ?', [person.account]);
}

/** Ends the sessions and links of a user too. @throws conflict for the last operator */
export async function removePerson({ tx }: Installation, account: string): Promise<void> {
  await refuseLastOperator(tx, account);
  for (const table of ['session', 'sign_in_link', 'identity', 'person'])
    await tx.run(`DELETE FROM ${table} WHERE account = ?`, [account]);
}

export async function setPassword({ tx }: Installation, account: string, hash: string): Promise<void> {
  await tx.run('UPDATE person SET password = ? WHERE account = ?', [hash, account]);
}

/** @throws invalidBody */
export function checkPassword(password: string): void {
  const issues = new Issues();
  const length = [...password].length;
  if (length < SHORTEST_PASSWORD)
    issues.add(`A password needs ${SHORTEST_PASSWORD} characters or more.`, 'password');
  if (length > LONGEST_PASSWORD)
    issues.add(`A password has at most ${LONGEST_PASSWORD} characters.`, 'password');
  issues.refuse();
}

async function refuseLastOperator(sql: Sql, account: string): Promise<void> {
  const operators = await sql.all<{ account: string }>(
    'SELECT account FROM person WHERE operator = 1 LIMIT 2',
  );
  if (operators.length === 1 && operators[0]?.account === account)
    throw new ServiceError('conflict', 'This is the last operator. Make another one first.');
}

async function refuseTaken(
  sql: Sql,
  { account, email }: { readonly account: string; readonly email: string },
): Promise<void> {
  const other = await sql.get<{ account: string }>('SELECT account FROM person WHERE sign_in = ?', [
    signInName(email),
  ]);
  if (other && other.account !== account)
    throw new ServiceError('conflict', `Another user signs in with the mail address '${email}'.`);
}

function signInName(email: string): string {
  return email.trim().toLowerCase();
}
