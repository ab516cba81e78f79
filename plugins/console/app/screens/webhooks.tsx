import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { call, get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useAct } from '../parts/use-act.ts';

interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly state: 'working' | 'failing' | 'dead';
  readonly failing_since: string | null;
  readonly waiting: number;
  readonly next_attempt: string | null;
}

interface Sent {
  readonly delivered: boolean;
  readonly attempt: { readonly status: number | null; readonly error: string | null };
}

/** The webhooks of a project: whether they work, what waits, and what can be done about it. */
export function Webhooks({ project }: { readonly project: string }) {
  const { webhooks } = messages();
  const path = `admin/projects/${project}/webhooks`;
  const listed = useQuery({
    queryKey: [project, 'webhooks'],
    queryFn: () => get<{ readonly webhooks: readonly Webhook[] }>(path),
    refetchInterval: 10_000,
  });
  const secret = useSignal<string | undefined>(undefined);
  const { run, error } = useAct();

  const setEnabled = ({ id, enabled }: Webhook) =>
    run(async () => {
      await call('PUT', `${path}/${id}/${enabled ? 'disable' : 'enable'}`);
      await listed.refetch();
    });
  const test = ({ id, name }: Webhook) =>
    run(async () => {
      const { delivered, attempt } = await call<Sent>('POST', `${path}/${id}/test`);
      const result = attempt.error ?? String(attempt.status ?? '');
      announce(delivered ? webhooks.tested(name, result) : webhooks.refused(name, result));
    });
  const rotate = ({ id }: Webhook) =>
    run(async () => {
      secret.value = (await call<{ readonly secret: string }>('POST', `${path}/${id}/rotate-secret`)).secret;
    });
  const skip = ({ id }: Webhook) =>
    run(async () => {
      await call('POST', `${path}/${id}/skip-head`);
      announce(webhooks.skipped);
      await listed.refetch();
    });

  return (
    <>
      <h1>{webhooks.title}</h1>
      {error.value !== undefined && <Failure error={error.value} />}
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[webhooks.name, webhooks.url, webhooks.state, webhooks.waiting, webhooks.acts]}
            empty={webhooks.none}
            rows={data.webhooks.map((webhook) => ({
              key: webhook.id,
              cells: [
                <Link key="log" href={`/projects/${project}/webhooks/${webhook.id}`}>
                  {webhook.name}
                </Link>,
                webhook.url,
                <span key="state" class={`state ${webhook.state}`}>
                  {webhook.enabled ? webhooks.states[webhook.state] : webhooks.paused}
                  {webhook.failing_since !== null &&
                    ` (${webhooks.since(formatTime(webhook.failing_since))})`}
                  {webhook.next_attempt !== null && `, ${webhooks.next(formatTime(webhook.next_attempt))}`}
                </span>,
                webhook.waiting >= 1000 ? '1000+' : webhook.waiting,
                <div key="acts" class="acts">
                  <button type="button" onClick={() => void setEnabled(webhook)}>
                    {webhook.enabled ? webhooks.pause : webhooks.resume}
                  </button>
                  <button type="button" onClick={() => void test(webhook)}>
                    {webhooks.test}
                  </button>
                  <button type="button" onClick={() => void rotate(webhook)}>
                    {webhooks.rotate}
                  </button>
                  {webhook.state !== 'working' && (
                    <button type="button" onClick={() => void skip(webhook)}>
                      {webhooks.skip}
                    </button>
                  )}
                </div>,
              ],
            }))}
          />
        )}
      </Loaded>
      {secret.value !== undefined && (
        <SecretDialog
          title={webhooks.newSecret}
          hint={webhooks.newSecretHint}
          secret={secret.value}
          onClose={() => {
            secret.value = undefined;
          }}
        />
      )}
    </>
  );
}
