import type { ContentAccess } from '../transaction/content-access.ts';
import type { Operations } from '../transaction/operations.ts';
import type { Person } from './sessions.ts';

/**
 * The operations in the name of a person: its account is the actor of changes, and views and transactions have its
 * `access`, by which operations refuse what it may not do.
 */
export function asPerson<Type extends Operations>(
  operations: Type,
  { account }: Pick<Person, 'account'>,
  access: ContentAccess | undefined,
): Type {
  return {
    ...operations,
    read: (project, work) => operations.read(project, (view) => work({ ...view, access })),
    inProject: (project, actor, work, options) =>
      operations.inProject(project, actor ?? account, work, { ...options, access, isPerson: true }),
    installation: (actor, work) => operations.installation(actor ?? account, work),
  };
}
