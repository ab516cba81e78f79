import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import type { ContentScope } from '../session.ts';

/** A user as the admin API has it. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly can_sign_in: boolean;
  readonly is_operator: boolean;
  /** Of a user that was made just now. */
  readonly sign_in_link?: SignInLink;
  readonly projects: readonly {
    readonly id: string;
    readonly capabilities: readonly string[];
    readonly roles: readonly string[];
  }[];
}

export interface SignInLink {
  readonly token: string;
  readonly valid_minutes: number;
}

export interface Role {
  readonly id: string;
  readonly codename: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly limits: Readonly<Partial<Record<string, ContentScope>>>;
  readonly is_fixed: boolean;
}

export function useRoles() {
  return useQuery({
    queryKey: ['roles'],
    meta: { follows: ['role'] },
    queryFn: async () => (await get<{ readonly roles: readonly Role[] }>('admin/roles')).roles,
  });
}
