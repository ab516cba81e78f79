import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';

export interface Role {
  readonly id: string;
  readonly codename: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly is_fixed: boolean;
}

export function useRoles() {
  return useQuery({
    queryKey: ['roles'],
    queryFn: async () => (await get<{ readonly roles: readonly Role[] }>('admin/roles')).roles,
  });
}
