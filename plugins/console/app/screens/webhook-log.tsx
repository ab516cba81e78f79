import { useSignal } from '@preact/signals';
import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { call, get, query } from '../api.ts';
import { polled } from '../events.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { webhookTexts } from '../messages/webhook.ts';
import { useAddressState } from '../parts/address-state.ts';
import { announce } from '../parts/announce.tsx';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Choice } from '../parts/field.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { objectCalls } from '../parts/object-calls.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { ServerText } from '../parts/server-text.tsx';
import { useAct } from '../parts/use-act.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { SentDialog } from './sent-dialog.tsx';

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

interface Webhook {
  readonly name: string;
  readonly replay: {
    readonly state: keyof ReturnType<typeof messages>['transfer']['states'];
    readonly done: number;
    readonly total: number | null;
    readonly error: string | null;
  } | null;
}

/** What was sent to a webhook, what it answered, and sending again. */
export function WebhookLog({ project, webhook }: { readonly project: string; readonly webhook: string }) {
  const { webhooks, transfer, content, loading, acts } = messages();
  const texts = webhookTexts();
  const shown = useSignal<string | undefined>(undefined);
  const isReplaying = useSignal(false);
  const address = useAddressState<'state'>();
  const state = address.get('state');
  const path = `admin/projects/${project}/webhooks/${webhook}`;
  const listed = useInfiniteQuery({
    queryKey: [project, 'notifications', webhook, state],
    queryFn: ({ pageParam }) => get<Page>(`${path}/notifications${query({ state, after: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.next ?? undefined,
  });
  const own = useQuery({
    queryKey: [project, 'webhooks', webhook],
    queryFn: () => get<Webhook>(path),
    ...polled(10_000, ['webhook', 'job']),
  });
  const last = own.data?.replay;
  const { run, error, isBusy } = useAct();

  const replay = (id: string) =>
    run(async () => {
      const { delivered } = await call<{ readonly delivered: boolean }>(
        'POST',
        `${path}/notifications/${id}/replay`,
      );
      announce(delivered ? webhooks.replayed : webhooks.replayFailed);
      void listed.refetch();
    });
  const rows = listed.data?.pages.flatMap((page) => page.notifications) ?? [];

  return (
    <>
      <p>
        <Link href={`/projects/${project}/webhooks`}>{texts.back}</Link>
      </p>
      <div class="bar">
        <PageHeading>{own.data ? `${webhooks.log}: ${own.data.name}` : webhooks.log}</PageHeading>
        <span class="end">
          <ApiCallButton project={project} calls={() => objectCalls('webhooks', { id: webhook })} />
        </span>
      </div>
      <div class="filters">
        <Choice
          label={webhooks.state}
          value={state}
          options={[
            { value: '', text: content.any },
            ...STATES.map((value) => ({ value, text: webhooks.logStates[value] })),
          ]}
          onChange={(value) => address.set({ state: value })}
        />
        <button
          type="button"
          onClick={() => {
            isReplaying.value = true;
          }}
        >
          {texts.replaySince}
        </button>
      </div>
      {last && last.total !== null && last.total > 0 && (
        <p role="status">
          {texts.replayProgress(transfer.states[last.state], last.done, last.total)}{' '}
          {last.error !== null && <ServerText text={last.error} />}
        </p>
      )}
      <Failure error={error.value} />
      <Failure error={listed.error} onRetry={() => void listed.refetch()} />
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && (
        <DataTable
          columns={[webhooks.created, webhooks.event, webhooks.state, webhooks.attempts, acts]}
          empty={webhooks.noLog}
          rows={rows.map((notification) => ({
            key: notification.id,
            cells: [
              formatTime(notification.created),
              eventText(notification),
              webhooks.logStates[notification.state],
              <details key="attempts">
                <summary>{notification.attempts.length}</summary>
                <ul>
                  {notification.attempts.map(({ at, status, duration_ms, answer, error, manual }) => (
                    <li key={at}>
                      {formatTime(at)}: {error === null ? status : <ServerText text={error} />}, {duration_ms}{' '}
                      ms
                      {manual && `, ${webhooks.manual}`}
                      {answer !== null && answer !== '' && <pre>{answer}</pre>}
                    </li>
                  ))}
                </ul>
              </details>,
              notification.attempts.length > 0 && (
                <div key="acts" class="acts">
                  <button
                    type="button"
                    aria-label={texts.detailsOf(eventText(notification), formatTime(notification.created))}
                    onClick={() => {
                      shown.value = notification.id;
                    }}
                  >
                    {texts.details} …
                  </button>
                  <button
                    type="button"
                    aria-label={texts.replayOf(eventText(notification), formatTime(notification.created))}
                    disabled={isBusy.value}
                    onClick={() => void replay(notification.id)}
                  >
                    {webhooks.replay}
                  </button>
                </div>
              ),
            ],
          }))}
        />
      )}
      {shown.value !== undefined && (
        <SentDialog
          path={`${path}/notifications/${shown.value}`}
          onClose={() => {
            shown.value = undefined;
          }}
        />
      )}
      {isReplaying.value && (
        <ReplayDialog
          path={path}
          onClose={() => {
            isReplaying.value = false;
          }}
          onStarted={() => {
            isReplaying.value = false;
            void own.refetch();
            void listed.refetch();
          }}
        />
      )}
      <MoreButton list={listed} />
    </>
  );
}

/** `Language variants: Publish` */
function eventText({ type, operation }: Notification): string {
  const { types, operations, actOf } = webhookTexts();
  return actOf(types[type] ?? type, operations[operation] ?? operation);
}
