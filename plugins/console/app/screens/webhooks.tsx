import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { call, get } from '../api.ts';
import { polled } from '../events.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { webhookTexts } from '../messages/webhook.ts';
import { useAddressState } from '../parts/address-state.ts';
import { announce } from '../parts/announce.tsx';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { listingCalls } from '../parts/object-calls.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { useQuestion } from '../parts/question.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { ServerText } from '../parts/server-text.tsx';
import { useAct } from '../parts/use-act.ts';
import { RotateDialog } from './rotate-dialog.tsx';
import { type EditedWebhook, WebhookDialog } from './webhook-dialog.tsx';

interface Webhook extends EditedWebhook {
  readonly enabled: boolean;
  readonly state: 'working' | 'failing' | 'dead';
  readonly failing_since: string | null;
  readonly waiting: number;
  readonly next_attempt: string | null;
  /** Id of the notification that blocks it. */
  readonly blocked_by: string | null;
  readonly previous_secret_until: string | null;
}

interface Sent {
  readonly delivered: boolean;
  readonly attempt: { readonly status: number | null; readonly error: string | null };
}

/** The webhooks of a project: whether they work, what waits, and what can be done about it. */
export function Webhooks({ project }: { readonly project: string }) {
  const { webhooks, acts } = messages();
  const texts = webhookTexts();
  const state = useAddressState<'add'>();
  const isAdding = state.get('add') !== '';
  const edited = useSignal<EditedWebhook | undefined>(undefined);
  const endEdit = () => {
    edited.value = undefined;
    if (isAdding) state.set({ add: '' }, true);
  };
  const rotated = useSignal<Webhook | undefined>(undefined);
  const path = `admin/projects/${project}/webhooks`;
  const listed = useQuery({
    queryKey: [project, 'webhooks'],
    queryFn: () => get<{ readonly webhooks: readonly Webhook[] }>(path),
    ...polled(10_000, ['webhook']),
  });
  const secret = useSignal<
    { readonly title: string; readonly hint: string; readonly secret: string } | undefined
  >(undefined);
  const { run, error, isBusy } = useAct();
  const { ask, dialog } = useQuestion();

  const setEnabled = ({ id, enabled }: Webhook) =>
    run(async () => {
      await call('PUT', `${path}/${id}/${enabled ? 'disable' : 'enable'}`);
      void listed.refetch();
    });
  const test = ({ id, name }: Webhook) =>
    run(async () => {
      const {
        delivered,
        attempt: { status, error },
      } = await call<Sent>('POST', `${path}/${id}/test`);
      announce(
        <>
          {delivered ? webhooks.tested(name, status) : webhooks.refused(name, status)}{' '}
          {error !== null && <ServerText text={error} />}
        </>,
      );
    });
  const skip = ({ id, name, blocked_by: notification }: Webhook) =>
    ask({
      title: texts.actOf(webhooks.skip, name),
      plan: webhooks.skipPlan,
      act: webhooks.skip,
      run: () => call('POST', `${path}/${id}/skip-head`, { notification }).finally(() => listed.refetch()),
      done: () => announce(webhooks.skipped),
    });

  return (
    <>
      <PageHeading>{webhooks.title}</PageHeading>
      <div class="bar">
        <button type="button" class="primary" onClick={() => state.set({ add: 'true' })}>
          {webhooks.add}
        </button>
        <ApiCallButton project={project} calls={() => listingCalls('webhooks', '')} />
      </div>
      <Failure error={error.value} />
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[webhooks.name, webhooks.url, webhooks.state, webhooks.waiting, acts]}
            empty={webhooks.none}
            rows={data.webhooks.map((webhook) => ({
              key: webhook.id,
              cells: [
                <Link key="log" href={`/projects/${project}/webhooks/${webhook.id}`}>
                  {webhook.name}
                </Link>,
                <span key="url" class="url">
                  {webhook.url}
                </span>,
                <span key="state" class={`state ${webhook.state}`}>
                  {webhook.enabled ? webhooks.states[webhook.state] : webhooks.paused}
                  {webhook.failing_since !== null &&
                    ` (${webhooks.since(formatTime(webhook.failing_since))})`}
                  {webhook.next_attempt !== null && `, ${webhooks.next(formatTime(webhook.next_attempt))}`}
                </span>,
                webhook.waiting >= 1000 ? '1000+' : webhook.waiting,
                <div key="acts" class="acts">
                  <button
                    type="button"
                    aria-label={texts.editOf(webhook.name)}
                    onClick={() => {
                      edited.value = webhook;
                    }}
                  >
                    {texts.edit}
                  </button>
                  <button
                    type="button"
                    aria-label={texts.actOf(webhook.enabled ? webhooks.pause : webhooks.resume, webhook.name)}
                    disabled={isBusy.value}
                    onClick={() => void setEnabled(webhook)}
                  >
                    {webhook.enabled ? webhooks.pause : webhooks.resume}
                  </button>
                  <button
                    type="button"
                    aria-label={texts.actOf(webhooks.test, webhook.name)}
                    disabled={isBusy.value}
                    onClick={() => void test(webhook)}
                  >
                    {webhooks.test}
                  </button>
                  <button
                    type="button"
                    aria-label={texts.actOf(webhooks.rotate, webhook.name)}
                    onClick={() => {
                      rotated.value = webhook;
                    }}
                  >
                    {webhooks.rotate} …
                  </button>
                  {webhook.blocked_by !== null && (
                    <button
                      type="button"
                      aria-label={texts.actOf(webhooks.skip, webhook.name)}
                      onClick={() => skip(webhook)}
                    >
                      {webhooks.skip} …
                    </button>
                  )}
                </div>,
              ],
            }))}
          />
        )}
      </Loaded>
      {dialog}
      {(isAdding || edited.value !== undefined) && (
        <WebhookDialog
          project={project}
          webhook={edited.value}
          onClose={endEdit}
          onSaved={(name, made) => {
            endEdit();
            if (made !== undefined)
              secret.value = { title: texts.secretOf(name), hint: texts.secretHint, secret: made };
            void listed.refetch();
          }}
        />
      )}
      {rotated.value !== undefined && (
        <RotateDialog
          path={`${path}/${rotated.value.id}`}
          name={rotated.value.name}
          previousUntil={rotated.value.previous_secret_until}
          onClose={() => {
            rotated.value = undefined;
          }}
          onDone={(made) => {
            rotated.value = undefined;
            secret.value = { title: webhooks.newSecret, hint: webhooks.newSecretHint, secret: made };
            void listed.refetch();
          }}
        />
      )}
      {secret.value !== undefined && (
        <SecretDialog
          {...secret.value}
          onClose={() => {
            secret.value = undefined;
          }}
        />
      )}
    </>
  );
}
