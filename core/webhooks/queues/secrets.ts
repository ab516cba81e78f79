import type { ProjectTransaction } from '../../transaction/project-transaction.ts';

export interface Secrets {
  readonly current: string;
  /** The previous secret, which signs as well until the overlap ends. */
  readonly previous: { readonly secret: string; readonly until: string } | null;
}

export interface StoredSecrets {
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: string | null;
}

export function toSecrets({ secret, previous_secret, previous_until }: StoredSecrets): Secrets {
  const previous =
    previous_secret === null || previous_until === null
      ? null
      : { secret: previous_secret, until: previous_until };
  return { current: secret, previous };
}

/** 244 random bits. */
export function newSecret(transaction: Pick<ProjectTransaction, 'newId'>): string {
  return `${transaction.newId()}${transaction.newId()}`.replaceAll('-', '');
}
