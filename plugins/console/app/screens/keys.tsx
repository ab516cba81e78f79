import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useAct } from '../parts/use-act.ts';
import { actOnShown } from '../parts/use-tagged.ts';

interface Key {
  readonly id: string;
  readonly kind: string;
  readonly tail: string;
  readonly created: string;
  readonly expires: string | null;
  readonly last_used: string | null;
}

interface Project {
  readonly secure_access: boolean;
  readonly management_api: boolean;
}

/** The keys of a project: which there are, when they were used, and replacing them. */
export function Keys({ project }: { readonly project: string }) {
  const { keys } = messages();
  const path = `admin/projects/${project}`;
  const settings = useQuery({
    queryKey: [project, 'settings'],
    queryFn: () => get<Project>(path),
    meta: { follows: ['project'] },
  });
  const listed = useQuery({
    queryKey: [project, 'keys'],
    meta: { follows: ['key'] },
    queryFn: () => get<{ readonly keys: readonly Key[] }>(`${path}/keys`),
  });
  const shown = useSignal<string | undefined>(undefined);
  const { run, error, isBusy } = useAct();

  const replace = (key: Key) =>
    run(async () => {
      const { id, kind } = key;
      const address = kind === 'management' ? `management-keys/${id}` : `keys/${kind}`;
      const act = ['POST', `${path}/${address}/regenerate`] as const;
      const made = actOnShown<Key, { readonly key: string }>(`${path}/${address}`, key, ['id'], act);
      shown.value = (await made.finally(() => listed.refetch())).key;
    });
  const revoke = (key: Key) =>
    run(async () => {
      const address = `${path}/management-keys/${key.id}`;
      await actOnShown(address, key, ['id'], ['DELETE', address]);
      announce(keys.revoked);
      void listed.refetch();
    });
  const setSecureAccess = (enabled: boolean) =>
    run(async () => {
      const { data } = settings;
      if (!data) return;
      const act = ['PUT', `${path}/secure-access`, { enabled }] as const;
      await actOnShown(path, data, ['secure_access'], act).finally(() =>
        Promise.all([settings.refetch(), listed.refetch()]),
      );
    });

  return (
    <>
      <h1>{keys.title}</h1>
      <Loaded query={settings}>
        {({ secure_access }) => (
          <label class="check">
            <input
              type="checkbox"
              checked={secure_access}
              disabled={isBusy.value}
              onChange={(event) => void setSecureAccess(event.currentTarget.checked)}
            />{' '}
            {keys.secureAccess}
          </label>
        )}
      </Loaded>
      {error.value !== undefined && <Failure error={error.value} />}
      <details>
        <summary>{keys.guide}</summary>
        <ol>
          {keys.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </details>
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[keys.kind, keys.key, keys.created, keys.expires, keys.used, keys.replace]}
            empty={keys.none}
            rows={data.keys.map((key) => ({
              key: key.id,
              cells: [
                key.kind,
                `…${key.tail}`,
                formatTime(key.created),
                key.expires === null ? keys.never : formatTime(key.expires),
                key.last_used === null ? keys.never : formatTime(key.last_used),
                <div key="acts" class="acts">
                  <button
                    type="button"
                    aria-label={keys.replaceKey(key.kind, key.tail)}
                    onClick={() => void replace(key)}
                  >
                    {keys.replace}
                  </button>
                  {key.kind === 'management' && (
                    <button
                      type="button"
                      aria-label={keys.revokeKey(key.tail)}
                      onClick={() => void revoke(key)}
                    >
                      {keys.revoke}
                    </button>
                  )}
                </div>,
              ],
            }))}
          />
        )}
      </Loaded>
      {shown.value !== undefined && (
        <SecretDialog
          title={keys.newKey}
          hint={keys.once}
          secret={shown.value}
          onClose={() => {
            shown.value = undefined;
          }}
        />
      )}
    </>
  );
}
