import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { call, get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useAct } from '../parts/use-act.ts';
import { PasswordDialog } from './password-dialog.tsx';

interface OwnSession {
  readonly id: string;
  readonly seen: string;
  readonly address: string | null;
  readonly browser: string | null;
  readonly is_current: boolean;
}

/** Where the person is signed in, and the own password. */
export function OwnSessions() {
  const { sessions, ownPassword } = messages();
  const isChanging = useSignal(false);
  const listed = useQuery({
    queryKey: ['sessions'],
    queryFn: () => get<{ readonly sessions: readonly OwnSession[] }>('sessions'),
  });

  const { run, error, isBusy } = useAct();
  const end = (id: string) =>
    run(async () => {
      await call('DELETE', `sessions/${id}`).finally(() => listed.refetch());
      announce(sessions.ended);
    });

  return (
    <>
      <PageHeading>{sessions.title}</PageHeading>
      <div class="bar">
        <button
          type="button"
          onClick={() => {
            isChanging.value = true;
          }}
        >
          {ownPassword.open}
        </button>
      </div>
      <Failure error={error.value} />
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[sessions.browser, sessions.address, sessions.seen, sessions.end]}
            empty=""
            rows={data.sessions.map(({ id, seen, address, browser, is_current }) => ({
              key: id,
              cells: [
                browser ?? '–',
                address ?? '–',
                formatTime(seen),
                is_current ? (
                  sessions.current
                ) : (
                  <button
                    key="end"
                    type="button"
                    aria-label={`${sessions.end}: ${browser ?? '–'}, ${formatTime(seen)}`}
                    disabled={isBusy.value}
                    onClick={() => void end(id)}
                  >
                    {sessions.end}
                  </button>
                ),
              ],
            }))}
          />
        )}
      </Loaded>
      {isChanging.value && (
        <PasswordDialog
          onClose={() => {
            isChanging.value = false;
          }}
          onChanged={() => {
            isChanging.value = false;
            void listed.refetch();
          }}
        />
      )}
    </>
  );
}
