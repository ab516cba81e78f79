import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useSession } from '../session.ts';
import { type Role, type User, useRoles } from './people-data.ts';
import { PersonDialog } from './person-dialog.tsx';

/** Users: who may sign in, with which roles in which projects. */
export function People() {
  const { people, acts } = messages();
  const session = useSession();
  const roles = useRoles();
  const listed = useQuery({
    queryKey: ['users'],
    meta: { follows: ['user'] },
    queryFn: () => get<{ readonly users: readonly User[] }>('admin/users'),
  });
  /** The person who is edited; null = a new one. */
  const edited = useSignal<User | null | undefined>(undefined);
  const [search, setSearch] = useSearchParams();
  const named = search.get('user');
  useEffect(() => {
    if (named) edited.value = listed.data?.users.find(({ id }) => id === named);
  }, [named, listed.isSuccess]);
  return (
    <>
      <PageHeading>{people.title}</PageHeading>
      <div class="bar">
        <button type="button" class="primary" disabled={!roles.data} onClick={() => (edited.value = null)}>
          {people.add} …
        </button>
        <ApiCallButton calls={() => [{ api: 'admin', path: '/users' }]} />
      </div>
      <Failure error={roles.error} onRetry={() => void roles.refetch()} />
      <Loaded query={listed}>
        {({ users }) => (
          <DataTable
            columns={[people.name, people.email, people.signsIn, people.projects, acts]}
            empty={people.none}
            rows={users.map((user) => ({
              key: user.id,
              cells: [
                user.name,
                user.email,
                user.can_sign_in ? people.yes : people.no,
                rolesText(user, roles.data ?? [], session.data?.projects ?? []),
                <button
                  key="edit"
                  type="button"
                  aria-label={people.edit(user.name)}
                  onClick={() => (edited.value = user)}
                >
                  {people.change}
                </button>,
              ],
            }))}
          />
        )}
      </Loaded>
      {edited.value !== undefined && roles.data && session.data && (
        <PersonDialog
          key={edited.value?.id}
          user={edited.value}
          roles={roles.data}
          projects={session.data.projects}
          onClose={() => {
            edited.value = undefined;
            if (named) setSearch(withoutUser, { replace: true });
            void listed.refetch();
          }}
        />
      )}
    </>
  );
}

/** The address once the person that it names is not edited any more. */
function withoutUser(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  next.delete('user');
  return next;
}

function rolesText(
  user: User,
  roles: readonly Role[],
  projects: readonly { readonly id: string; readonly name: string }[],
): string {
  const { people } = messages();
  if (user.is_operator) return people.operator;
  const texts = user.projects.flatMap((membership) => {
    const project = projects.find(({ id }) => id === membership.id)?.name ?? membership.id;
    const names = roles.filter(({ id }) => membership.roles.includes(id)).map(({ name }) => name);
    const all = [...names, ...membership.capabilities];
    return all.length === 0 ? [] : [`${project}: ${all.join(', ')}`];
  });
  return texts.length === 0 ? people.none : texts.join('; ');
}
