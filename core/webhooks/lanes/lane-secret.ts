import type { ProjectTransaction } from '../../transaction/project-transaction.ts';

/** 244 random bits. */
export function newSecret(session: Pick<ProjectTransaction, 'newId'>): string {
  return `${session.newId()}${session.newId()}`.replaceAll('-', '');
}
