import type { ProjectTransaction } from '../../transaction/project-transaction.ts';

/** 244 random bits. */
export function newSecret(transaction: Pick<ProjectTransaction, 'newId'>): string {
  return `${transaction.newId()}${transaction.newId()}`.replaceAll('-', '');
}
