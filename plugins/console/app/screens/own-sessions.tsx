import { useQuery } from '@tanstack/preact-query';
import { call, get } from '../api.ts';
import { failureText } from '../failure-text.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Failure } from '../parts/failure.tsx';

interface OwnSession {
  readonly id: string;
  readonly seen: string;
  readonly address: string | null;
  readonly browser: string | null;
  readonly is_current: boolean;
}

export function OwnSessions() {
  const { sessions, loading } = messages();
  const listed = useQuery({
    queryKey: ['sessions'],
    queryFn: () => get<{ readonly sessions: readonly OwnSession[] }>('sessions'),
  });

  async function end(id: string): Promise<void> {
    try {
      await call('DELETE', `sessions/${id}`);
      announce(sessions.ended);
    } catch (error) {
      announce(failureText(error));
    }
    await listed.refetch();
  }

  return (
    <>
      <h1>{sessions.title}</h1>
      {listed.isError && <Failure error={listed.error} onRetry={() => void listed.refetch()} />}
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && (
        <table>
          <thead>
            <tr>
              <th scope="col">{sessions.browser}</th>
              <th scope="col">{sessions.address}</th>
              <th scope="col">{sessions.seen}</th>
              <th scope="col">{sessions.end}</th>
            </tr>
          </thead>
          <tbody>
            {listed.data.sessions.map(({ id, seen, address, browser, is_current }) => (
              <tr key={id}>
                <td>{browser ?? '–'}</td>
                <td>{address ?? '–'}</td>
                <td>{formatTime(seen)}</td>
                <td>
                  {is_current ? (
                    sessions.current
                  ) : (
                    <button type="button" onClick={() => void end(id)}>
                      {sessions.end}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
