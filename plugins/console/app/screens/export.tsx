import { useQuery } from '@tanstack/preact-query';
import { BASE, call, get } from '../api.ts';
import { polled } from '../events.ts';
import { formatSize, formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Progress } from '../parts/progress.tsx';
import { ServerText } from '../parts/server-text.tsx';
import { useAct } from '../parts/use-act.ts';

interface ExportJob {
  readonly id: string;
  readonly state: keyof ReturnType<typeof messages>['transfer']['states'];
  readonly done: number;
  readonly total: number | null;
  readonly error: string | null;
  readonly created: string;
  readonly bytes: number | null;
}

/** Exports of a project: start one, follow it, download the archive. */
export function ExportScreen({ project }: { readonly project: string }) {
  const { transfer } = messages();
  const path = `admin/projects/${project}/exports`;
  const listed = useQuery({
    queryKey: [project, 'exports'],
    queryFn: async () => (await get<{ readonly exports: readonly ExportJob[] }>(path)).exports,
    // Jobs that others began are not announced to everyone.
    ...polled(10_000, ['job']),
  });
  const { run, error, isBusy } = useAct();
  const start = () =>
    run(async () => {
      await call('POST', path);
      announce(transfer.started);
      void listed.refetch();
    });
  const remove = (id: string) =>
    run(async () => {
      await call('DELETE', `${path}/${id}`);
      void listed.refetch();
    });
  return (
    <>
      <PageHeading>{transfer.title}</PageHeading>
      <p>{transfer.explain}</p>
      <div class="bar">
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void start()}>
          {transfer.start}
        </button>
        <ApiCallButton project={project} calls={() => [{ api: 'admin', path: '/exports' }]} />
      </div>
      <Failure error={error.value} />
      <Loaded query={listed}>
        {(jobs) => (
          <DataTable
            columns={[transfer.created, transfer.state, transfer.progress, transfer.archive, transfer.acts]}
            empty={transfer.none}
            rows={jobs.map(({ id, state, done, total, error, created, bytes }) => {
              const time = formatTime(created);
              const act = state === 'running' ? transfer.cancel : transfer.remove;
              return {
                key: id,
                cells: [
                  time,
                  error === null ? (
                    transfer.states[state]
                  ) : (
                    <span key="state">
                      {transfer.states[state]}: <ServerText text={error} />
                    </span>
                  ),
                  <Progress key="progress" label={time} done={done} total={total} />,
                  bytes === null ? (
                    state === 'done' && transfer.gone
                  ) : (
                    <a key="archive" href={`${BASE}/api/${path}/${id}`} download>
                      {transfer.download(formatSize(bytes))}
                    </a>
                  ),
                  (state === 'running' || bytes !== null) && (
                    <button
                      key="remove"
                      type="button"
                      aria-label={`${act}: ${time}`}
                      disabled={isBusy.value}
                      onClick={() => void remove(id)}
                    >
                      {act}
                    </button>
                  ),
                ],
              };
            })}
          />
        )}
      </Loaded>
    </>
  );
}
