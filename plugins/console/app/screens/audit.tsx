import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { get, query } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { useAddressState } from '../parts/address-state.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSession } from '../session.ts';
import type { User } from './people-data.ts';

interface Act {
  readonly id: number;
  readonly at: string;
  readonly act: string;
  readonly subject: string;
  readonly actor: string;
  readonly origin: string | null;
  readonly detail: string;
}

interface Page {
  readonly audit: readonly Act[];
  readonly pagination: { readonly next: string | null };
}

/** Of a download: each call has a hundred. */
const MOST_LINES = 10_000;
const FILTERS = ['actor', 'act', 'project', 'from', 'to'] as const;

/** Every administrative act: who, what, when, from where. The address has the filters. */
export function Audit() {
  const { audit, auditFilter, loading } = messages();
  const session = useSession();
  const state = useAddressState<(typeof FILTERS)[number]>();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, state.get(name)])) as Readonly<
    Record<(typeof FILTERS)[number], string>
  >;
  const change = (name: (typeof FILTERS)[number], value: string) => state.set({ [name]: value }, true);
  const users = useQuery({
    queryKey: ['users', 'named'],
    queryFn: async () => (await get<{ readonly users: readonly User[] }>('admin/users')).users,
  });
  const actors = [
    ...(users.data ?? []).map(({ id, name }) => ({ value: id, text: name })),
    { value: 'admin token', text: auditFilter.adminToken },
    { value: 'command line', text: auditFilter.commandLine },
  ];
  const nameOf = (actor: string) => actors.find(({ value }) => value === actor)?.text ?? actor;
  const pageAfter = (after?: string) =>
    `/audit${query({
      ...filters,
      // Times of the form are in the zone of the browser.
      from: instant(filters.from),
      to: instant(filters.to),
      after,
    })}`;
  const readPage = (after: string, signal?: AbortSignal) => get<Page>(`admin${pageAfter(after)}`, signal);
  const listed = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    placeholderData: (before) => before,
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.next ?? undefined,
  });
  const rows = listed.data?.pages.flatMap((page) => page.audit) ?? [];

  const { run, error, isBusy } = useAct();
  /** All that match, not only what is shown. */
  const download = () =>
    run(async () => {
      const lines = [['at', 'act', 'subject', 'actor', 'origin', 'detail']];
      for (let after: string | null = ''; after !== null && lines.length < MOST_LINES; ) {
        const page: Page = await readPage(after);
        for (const { at, act, subject, actor, origin, detail } of page.audit)
          lines.push([at, act, subject, actor, origin ?? '', detail]);
        after = page.pagination.next;
      }
      const text = lines.map((line) => line.map(csvCell).join(',')).join('\r\n');
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      link.download = 'audit.csv';
      link.click();
      URL.revokeObjectURL(link.href);
    });

  return (
    <>
      <PageHeading>{audit.title}</PageHeading>
      <search class="filters">
        <Choice
          label={auditFilter.person}
          value={filters.actor}
          options={[{ value: '', text: auditFilter.any }, ...actors]}
          onChange={(value) => change('actor', value)}
        />
        <Choice
          label={auditFilter.project}
          value={filters.project}
          options={[
            { value: '', text: auditFilter.any },
            ...(session.data?.projects ?? []).map(({ id, name }) => ({ value: id, text: name })),
          ]}
          onChange={(value) => change('project', value)}
        />
        <Field
          label={auditFilter.act}
          value={filters.act}
          onInput={(event) => change('act', event.currentTarget.value)}
        />
        <Field
          label={auditFilter.from}
          type="datetime-local"
          value={filters.from}
          onInput={(event) => change('from', event.currentTarget.value)}
        />
        <Field
          label={auditFilter.to}
          type="datetime-local"
          value={filters.to}
          onInput={(event) => change('to', event.currentTarget.value)}
        />
      </search>
      <div class="bar">
        <button type="button" disabled={rows.length === 0 || isBusy.value} onClick={() => void download()}>
          {audit.csv}
        </button>
        <ApiCallButton calls={() => [{ api: 'admin', path: pageAfter() }]} />
      </div>
      <Failure error={error.value} />
      <Failure error={listed.error} onRetry={() => void listed.refetch()} />
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && (
        <DataTable
          columns={[audit.at, audit.act, audit.subject, audit.actor, audit.origin]}
          empty={audit.none}
          rows={rows.map(({ id, at, act, subject, actor, origin }) => ({
            key: id,
            cells: [formatTime(at), act, subject, nameOf(actor), origin ?? audit.local],
          }))}
        />
      )}
      <MoreButton list={listed} />
    </>
  );
}

function instant(local: string): string {
  const time = Date.parse(local);
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}

/** A cell as in RFC 4180; a leading sign that programs read as a formula is put in quotes (OWASP, CSV injection). */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
