import { useInfiniteQuery } from '@tanstack/preact-query';
import { get, query } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';

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

/** Every administrative act: who, what, when, from where. */
export function Audit() {
  const { audit, content, loading } = messages();
  const listed = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam }) => get<Page>(`admin/audit${query({ after: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.next ?? undefined,
  });
  const rows = listed.data?.pages.flatMap((page) => page.audit) ?? [];

  const download = () => {
    const lines = [
      ['at', 'act', 'subject', 'actor', 'origin', 'detail'],
      ...rows.map(({ at, act, subject, actor, origin, detail }) => [
        at,
        act,
        subject,
        actor,
        origin ?? '',
        detail,
      ]),
    ];
    const text = lines.map((line) => line.map(csvCell).join(',')).join('\r\n');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    link.download = 'audit.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  };

  return (
    <>
      <h1>{audit.title}</h1>
      <div class="bar">
        <button type="button" disabled={rows.length === 0} onClick={download}>
          {audit.csv}
        </button>
      </div>
      {listed.isError && <Failure error={listed.error} onRetry={() => void listed.refetch()} />}
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && (
        <DataTable
          columns={[audit.at, audit.act, audit.subject, audit.actor, audit.origin]}
          empty={audit.none}
          rows={rows.map(({ id, at, act, subject, actor, origin }) => ({
            key: id,
            cells: [formatTime(at), act, subject, actor, origin ?? audit.local],
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

/** A cell as in RFC 4180; a leading sign that programs read as a formula is put in quotes (OWASP, CSV injection). */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
