import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Failure } from '../parts/failure.tsx';
import { useSession } from '../session.ts';
import { type Role, type User, useRoles } from './people-data.ts';
import { PersonDialog } from './person-dialog.tsx';

/** Users: who may sign in, with which roles in which projects. */
export function People() {
  const { people, loading } = messages();
  const session = useSession();
  const roles = useRoles();
  const listed = useQuery({
    queryKey: ['users'],
    queryFn: () => get<{ readonly users: readonly User[] }>('admin/users'),
  });
  /** The person who is edited; null = a new one. */
  const edited = useSignal<User | null | undefined>(undefined);
  const error = listed.error ?? roles.error;
  return (
    <>
      <h1>{people.title}</h1>
      <div class="bar">
        <button type="button" class="primary" disabled={!roles.data} onClick={() => (edited.value = null)}>
          {people.add}
        </button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void listed.refetch()} />}
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && roles.data && session.data && (
        <table>
          <thead>
            <tr>
              <th scope="col">{people.name}</th>
              <th scope="col">{people.email}</th>
              <th scope="col">{people.signsIn}</th>
              <th scope="col">{people.projects}</th>
              <th scope="col">{people.change}</th>
            </tr>
          </thead>
          <tbody>
            {listed.data.users.map((user) => (
              <tr key={user.id}>
                <th scope="row">{user.name}</th>
                <td>{user.email}</td>
                <td>{user.can_sign_in ? people.yes : people.no}</td>
                <td>{rolesText(user, roles.data, session.data.projects)}</td>
                <td>
                  <button
                    type="button"
                    aria-label={people.edit(user.name)}
                    onClick={() => (edited.value = user)}
                  >
                    {people.change}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {edited.value !== undefined && roles.data && session.data && (
        <PersonDialog
          key={edited.value?.id}
          user={edited.value}
          roles={roles.data}
          projects={session.data.projects}
          onClose={() => {
            edited.value = undefined;
            void listed.refetch();
          }}
        />
      )}
    </>
  );
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
