import { useQuery } from '@tanstack/preact-query';
import { get } from './api.ts';

export interface Session {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly is_operator: boolean;
  };
  readonly projects: readonly {
    readonly id: string;
    readonly name: string;
    readonly permissions: readonly string[];
  }[];
}

export const SESSION = ['session'] as const;

/** Who is signed in. An error with status 401: no one. */
export function useSession() {
  return useQuery({ queryKey: SESSION, queryFn: () => get<Session>('session'), retry: false });
}
