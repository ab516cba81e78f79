import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { Failure } from '../parts/failure.tsx';

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly created: string;
  readonly projects: readonly { readonly id: string }[];
}

export default function People() {
  const { people, loading } = messages();
  const listed = useQuery({
    queryKey: ['users'],
    queryFn: () => get<{ readonly users: readonly User[] }>('admin/users'),
  });
  return (
    <>
      <h1>{people.title}</h1>
      {listed.isError && <Failure error={listed.error} onRetry={() => void listed.refetch()} />}
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && (
        <table>
          <thead>
            <tr>
              <th scope="col">{people.name}</th>
              <th scope="col">{people.email}</th>
              <th scope="col">{people.projects}</th>
              <th scope="col">{people.created}</th>
            </tr>
          </thead>
          <tbody>
            {listed.data.users.map(({ id, name, email, projects, created }) => (
              <tr key={id}>
                <td>{name}</td>
                <td>{email}</td>
                <td>{projects.length}</td>
                <td>{formatTime(created)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
