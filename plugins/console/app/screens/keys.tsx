import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useQuestion } from '../parts/question.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useAct } from '../parts/use-act.ts';
import { actOnShown } from '../parts/use-tagged.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';

interface Key {
  readonly id: string;
  readonly kind: keyof ReturnType<typeof messages>['keys']['kinds'];
  readonly user_name: string | null;
  readonly tail: string;
  readonly created: string;
  readonly expires: string | null;
  readonly last_used: string | null;
}

interface Project {
  readonly secure_access: boolean;
  readonly management_api: boolean;
}

interface SecureAccess {
  readonly primary?: string;
  readonly secondary?: string;
}

/** Days whose calls are counted before secure access is turned on. */
const COUNTED_DAYS = 7;

interface Shown {
  readonly title: string;
  readonly hint: string;
  readonly secret: string | Readonly<Record<string, string>>;
}

/** The keys of a project: which there are, when they were used, making, replacing and revoking them. */
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
  const shown = useSignal<Shown | undefined>(undefined);
  const isAdding = useSignal(false);
  const { run, error, isBusy } = useAct();
  const { ask, dialog } = useQuestion();
  const reload = () => {
    void settings.refetch();
    void listed.refetch();
  };

  /** When a key was used last, as it is now: the list may be an old one. */
  const usedNow = async (key: Key) => {
    const { data } = await listed.refetch({ throwOnError: true });
    return usedText(data?.keys.find(({ id }) => id === key.id) ?? key);
  };

  const replace = (key: Key) =>
    run(async () => {
      const { id, kind } = key;
      const address = kind === 'management' ? `management-keys/${id}` : `keys/${kind}`;
      let made = '';
      ask({
        title: keys.replaceKey(nameOf(key), key.tail),
        plan: [keys.replacePlan, await usedNow(key)],
        act: keys.replace,
        async run() {
          const act = ['POST', `${path}/${address}/regenerate`] as const;
          ({ key: made } = await actOnShown<Key, { readonly key: string }>(
            `${path}/${address}`,
            key,
            ['id'],
            act,
          ).finally(() => void listed.refetch()));
        },
        done: () => {
          shown.value = { title: keys.newKey, hint: keys.once, secret: made };
        },
      });
    });
  const revoke = (key: Key) =>
    run(async () =>
      ask({
        title: keys.revokeKey(key.tail),
        plan: [keys.revokePlan, await usedNow(key)],
        act: keys.revoke,
        async run() {
          const address = `${path}/management-keys/${key.id}`;
          await actOnShown(address, key, ['id'], ['DELETE', address]).finally(() => void listed.refetch());
        },
        done: () => announce(keys.revoked),
      }),
    );
  const setSecureAccess = (data: Project) =>
    run(async () => {
      const enabled = !data.secure_access;
      let made: SecureAccess = {};
      ask({
        title: enabled ? keys.turnOn : keys.turnOff,
        plan: enabled
          ? [keys.onPlan, keys.recentCalls(await deliveredCalls(project), COUNTED_DAYS), keys.onKeys]
          : [keys.offPlan, keys.offKeys],
        act: enabled ? keys.turnOn : keys.turnOff,
        async run() {
          const act = ['PUT', `${path}/secure-access`, { enabled }] as const;
          made = await actOnShown<Project, SecureAccess>(path, data, ['secure_access'], act).finally(reload);
        },
        done: () => {
          const { primary, secondary } = made;
          if (primary === undefined || secondary === undefined) return;
          shown.value = {
            title: keys.newKeys,
            hint: keys.onceBoth,
            secret: {
              [keys.kinds['delivery-primary']]: primary,
              [keys.kinds['delivery-secondary']]: secondary,
            },
          };
        },
      });
    });
  const setManagement = (data: Project) => {
    const enabled = !data.management_api;
    const set = async () => {
      const act = ['PUT', `${path}/management-api`, { enabled }] as const;
      await actOnShown(path, data, ['management_api'], act).finally(reload);
    };
    if (enabled) return void run(set);
    ask({
      title: keys.managementOff,
      plan: [keys.managementOffPlan],
      act: keys.managementOff,
      run: set,
    });
  };

  return (
    <>
      <PageHeading>{keys.title}</PageHeading>
      <div class="bar">
        <ApiCallButton project={project} calls={() => [{ api: 'admin', path: '/keys' }]} />
        <button
          type="button"
          class="primary"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {keys.add}
        </button>
      </div>
      <details>
        <summary>{keys.guide}</summary>
        <ol>
          {keys.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </details>
      <Failure error={error.value} />
      <Loaded query={settings}>
        {(data) => (
          <dl class="switches">
            <dt>{keys.secureAccess}</dt>
            <dd>
              {data.secure_access ? keys.isOn : keys.isOff}{' '}
              {/* Not disabled while its dialog is made, which gives the focus back to it. */}
              <button type="button" onClick={() => void setSecureAccess(data)}>
                {data.secure_access ? keys.turnOff : keys.turnOn} …
              </button>
            </dd>
            <dt>{keys.managementApi}</dt>
            <dd>
              {data.management_api ? keys.isOn : keys.isOff}{' '}
              <button type="button" disabled={isBusy.value} onClick={() => setManagement(data)}>
                {data.management_api ? `${keys.managementOff} …` : keys.managementOn}
              </button>
            </dd>
          </dl>
        )}
      </Loaded>
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[keys.kind, keys.user, keys.key, keys.created, keys.expires, keys.used, messages().acts]}
            empty={keys.none}
            rows={data.keys.map((key) => ({
              key: key.id,
              cells: [
                nameOf(key),
                key.user_name ?? '',
                `…${key.tail}`,
                formatTime(key.created),
                key.expires === null ? keys.never : formatTime(key.expires),
                key.last_used === null ? keys.never : formatTime(key.last_used),
                <div key="acts" class="acts">
                  <button
                    type="button"
                    aria-label={keys.replaceKey(nameOf(key), key.tail)}
                    onClick={() => void replace(key)}
                  >
                    {keys.replace} …
                  </button>
                  {key.kind === 'management' && (
                    <button
                      type="button"
                      aria-label={keys.revokeKey(key.tail)}
                      onClick={() => void revoke(key)}
                    >
                      {keys.revoke} …
                    </button>
                  )}
                </div>,
              ],
            }))}
          />
        )}
      </Loaded>
      {dialog}
      {isAdding.value && (
        <NewKeyDialog
          project={project}
          onClose={() => {
            isAdding.value = false;
          }}
          onMade={(key) => {
            isAdding.value = false;
            shown.value = { title: keys.newKey, hint: keys.onceNew, secret: key };
            reload();
          }}
        />
      )}
      {shown.value !== undefined && (
        <SecretDialog
          {...shown.value}
          onClose={() => {
            shown.value = undefined;
          }}
        />
      )}
    </>
  );
}

const nameOf = ({ kind }: Key) => messages().keys.kinds[kind];

function usedText({ last_used }: Key): string {
  const { keys } = messages();
  return last_used === null ? keys.neverUsed : keys.usedLast(formatTime(last_used));
}

/** Calls of delivery in the last days, as the usage has them. */
async function deliveredCalls(project: string): Promise<number> {
  const from = new Date(Date.now() - (COUNTED_DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
  const { total } = await get<{ readonly total: { readonly delivery: number } }>(
    `admin/projects/${project}/usage?from=${from}`,
  );
  return total.delivery;
}
