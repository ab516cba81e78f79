import { useInfiniteQuery } from '@tanstack/preact-query';
import { useSearchParams } from 'wouter-preact';
import { call, get, query } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Choice } from '../parts/field.tsx';
import { useAct } from '../parts/use-act.ts';

const STATES = ['pending', 'delivered', 'dropped'] as const;

interface Notification {
  readonly id: string;
  readonly type: string;
  readonly operation: string;
  readonly state: (typeof STATES)[number];
  readonly created: string;
  readonly next_attempt: string | null;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly duration_ms: number;
    readonly answer: string | null;
    readonly error: string | null;
    readonly manual: boolean;
  }[];
}

interface Page {
  readonly notifications: readonly Notification[];
  readonly pagination: { readonly next: string | null };
}

/** What was sent to a webhook, what it answered, and sending again. */
export function WebhookLog({ project, webhook }: { readonly project: string; readonly webhook: string }) {
  const { webhooks, content, loading } = messages();
  const [search, setSearch] = useSearchParams();
  const state = search.get('state') ?? '';
  const path = `admin/projects/${project}/webhooks/${webhook}`;
  const listed = useInfiniteQuery({
    queryKey: [project, 'notifications', webhook, state],
    queryFn: ({ pageParam }) => get<Page>(`${path}/notifications${query({ state, after: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.next ?? undefined,
  });
  const { run, error } = useAct();

  const replay = (id: string) =>
    run(async () => {
      const { delivered } = await call<{ readonly delivered: boolean }>(
        'POST',
        `${path}/notifications/${id}/replay`,
      );
      announce(delivered ? webhooks.replayed : webhooks.replayFailed);
      await listed.refetch();
    });
  const rows = listed.data?.pages.flatMap((page) => page.notifications) ?? [];

  return (
    <>
      <h1>{webhooks.log}</h1>
      <div class="filters">
        <Choice
          label={webhooks.state}
          value={state}
          options={[
            { value: '', text: content.any },
            ...STATES.map((value) => ({ value, text: webhooks.logStates[value] })),
          ]}
          onChange={(value) => setSearch(value === '' ? {} : { state: value })}
        />
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
      {listed.isError && <Failure error={listed.error} onRetry={() => void listed.refetch()} />}
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && (
        <DataTable
          columns={[webhooks.created, webhooks.event, webhooks.state, webhooks.attempts, webhooks.acts]}
          empty={webhooks.noLog}
          rows={rows.map((notification) => ({
            key: notification.id,
            cells: [
              formatTime(notification.created),
              `${notification.type} ${notification.operation}`,
              webhooks.logStates[notification.state],
              <details key="attempts">
                <summary>{notification.attempts.length}</summary>
                <ul>
                  {notification.attempts.map(({ at, status, duration_ms, answer, error, manual }) => (
                    <li key={at}>
                      {formatTime(at)}: {error ?? status}, {duration_ms} ms{manual && `, ${webhooks.manual}`}
                      {answer !== null && answer !== '' && <pre>{answer}</pre>}
                    </li>
                  ))}
                </ul>
              </details>,
              notification.attempts.length > 0 && (
                <button key="replay" type="button" onClick={() => void replay(notification.id)}>
                  {webhooks.replay}
                </button>
              ),
            ],
          }))}
        />
      )}
      {listed.hasNextPage && (
        <button type="button" onClick={() => void listed.fetchNextPage()}>
          {content.more}
        </button>
      )}
    </>
  );
}
