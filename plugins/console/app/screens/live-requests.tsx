import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { get, query } from '../api.ts';
import { polled } from '../events.ts';
import { formatNumber, messages } from '../messages/messages.ts';
import { useAddressState } from '../parts/address-state.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { language } from '../preferences.ts';

interface Seen {
  readonly number: number;
  readonly at: string;
  readonly id: string | null;
  readonly surface: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | null;
  readonly cache: string | null;
  readonly client: string;
}

interface Watched {
  readonly gateways: readonly { readonly instance: string; readonly requests: readonly Seen[] }[];
}

type Row = Seen & { readonly gateway: string };

/** As many as one gateway keeps. */
const KEPT = 1000;
const SHOWN = 200;
const POLL_MS = 2000;
/** The clocks of gateways may differ by so much: what ended on another one may have an earlier time than what is known. */
const OVERLAP_MS = 10_000;

/** The last requests of all gateways or one, newest first; gateways keep them only while this page asks. */
export function LiveRequests() {
  const { live, loading } = messages();
  const { get: filter, set } = useAddressState<'gateway' | 'surface' | 'status' | 'path'>();
  const rows = useSignal<readonly Row[]>([]);
  const gateways = useSignal<readonly string[]>([]);
  const isPaused = useSignal(false);
  const poll = useQuery({
    queryKey: ['live requests'],
    queryFn: async () => {
      const newest = rows.peek()[0]?.at;
      const after = newest && new Date(Date.parse(newest) - OVERLAP_MS).toISOString();
      const { gateways: found } = await get<Watched>(`admin/gateways/requests${query({ after })}`);
      gateways.value = found.map(({ instance }) => instance);
      rows.value = merged(rows.peek(), found);
      return true;
    },
    ...polled(POLL_MS),
    enabled: !isPaused.value,
    refetchOnWindowFocus: false,
    gcTime: 0,
    staleTime: 0,
  });
  const shown = rows.value.filter(
    ({ gateway, surface, status, path }) =>
      (filter('gateway') === '' || gateway === filter('gateway')) &&
      (filter('surface') === '' || surface === filter('surface')) &&
      String(status).startsWith(filter('status')) &&
      path.toLowerCase().includes(filter('path').toLowerCase()),
  );
  const all = { value: '', text: live.all };
  const time = new Intl.DateTimeFormat(language.value, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  });
  const surfaces = [...new Set(rows.value.map(({ surface }) => surface))].sort();

  return (
    <>
      <PageHeading>{live.title}</PageHeading>
      <p>{live.explain}</p>
      <search class="filters">
        <Choice
          label={live.gateway}
          value={filter('gateway')}
          options={[all, ...gateways.value.map((value) => ({ value, text: value }))]}
          onChange={(value) => set({ gateway: value }, true)}
        />
        <Choice
          label={live.surface}
          value={filter('surface')}
          options={[
            all,
            ...[...new Set([...surfaces, filter('surface')])]
              .filter(Boolean)
              .map((value) => ({ value, text: value })),
          ]}
          onChange={(value) => set({ surface: value }, true)}
        />
        <Choice
          label={live.status}
          value={filter('status')}
          options={Object.entries(live.statuses)
            .sort(([one], [other]) => one.localeCompare(other))
            .map(([value, text]) => ({ value, text }))}
          onChange={(value) => set({ status: value }, true)}
        />
        <Field
          label={live.path}
          value={filter('path')}
          onInput={(event) => set({ path: event.currentTarget.value }, true)}
        />
        <button
          type="button"
          onClick={() => {
            isPaused.value = !isPaused.value;
          }}
        >
          {isPaused.value ? live.resume : live.pause}
        </button>
        <ApiCallButton calls={() => [{ api: 'admin', path: '/gateways/requests' }]} />
      </search>
      <Failure error={poll.error} onRetry={() => void poll.refetch()} />
      {poll.isPending ? (
        // That there was no request is not known yet.
        <p class="loading">{loading}</p>
      ) : (
        <>
          <p class="hint">{live.shown(Math.min(SHOWN, shown.length), rows.value.length)}</p>
          <DataTable
            columns={[
              live.at,
              live.request,
              live.status,
              live.took,
              live.bytes,
              live.cache,
              live.client,
              live.gateway,
            ]}
            empty={live.none}
            rows={shown.slice(0, SHOWN).map((row) => ({
              key: `${row.gateway} ${row.number}`,
              cells: [
                time.format(new Date(row.at)),
                <code key="request">
                  {row.method} {row.path}
                </code>,
                row.status,
                `${formatNumber(row.ms)} ms`,
                row.bytes === null ? '–' : formatNumber(row.bytes),
                row.cache ?? '–',
                row.client,
                row.gateway,
              ],
            }))}
          />
        </>
      )}
    </>
  );
}

/** What is known is asked for again; see `OVERLAP_MS`. */
function merged(before: readonly Row[], found: Watched['gateways']): readonly Row[] {
  const known = new Set(before.map(({ gateway, number }) => `${gateway} ${number}`));
  const fresh = found.flatMap(({ instance, requests }) =>
    requests
      .filter(({ number }) => !known.has(`${instance} ${number}`))
      .map((request) => ({ ...request, gateway: instance })),
  );
  if (fresh.length === 0) return before;
  return [...fresh, ...before]
    .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : other.number - one.number))
    .slice(0, KEPT * Math.max(1, found.length));
}
