import type { Operations } from '../transaction/operations.ts';
import { type RoutePermission, requireConfirmed, requirePermission } from './permissions.ts';
import type { Person } from './sessions.ts';

/**
 * The operations for a call in the name of a person: its account is the actor of changes, and views and transactions have its
 * access, by which operations refuse what it may not do.
 * @param person undefined = a key or the admin token was used, which may do everything
 * @param project id of the project that the call is about; undefined = none
 * @throws forbidden, unknownProject
 */
export async function asPerson<Type extends Operations>(
  operations: Type,
  person: Person | undefined,
  { method, permission = 'operator' }: { readonly method: string; readonly permission?: RoutePermission },
  project: string | undefined,
): Promise<Type> {
  if (person === undefined) return operations;
  const { account } = person;
  const access = await requirePermission(operations.reader.sql, person, project, permission);
  requireConfirmed(person, method, permission);
  return {
    ...operations,
    read: (id, work) => operations.read(id, (view) => work({ ...view, access })),
    inProject: (id, actor, work, options) =>
      operations.inProject(id, actor ?? account, work, { ...options, access, isPerson: true }),
    installation: (actor, work) => operations.installation(actor ?? account, work),
  };
}
