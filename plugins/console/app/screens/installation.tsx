import { useQuery } from '@tanstack/preact-query';
import { call, get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { useAct } from '../parts/use-act.ts';

interface Process {
  readonly role: string;
  readonly instance: string;
  readonly version: string;
  readonly started: string;
  readonly address: string | null;
  readonly configuration: string | null;
  readonly sequence: number;
  readonly behind_ms: number;
}

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly done: number;
  readonly total: number | null;
  readonly error: string | null;
  readonly due: string | null;
  readonly updated: string;
}

/** The processes of the installation, and long work. */
export function InstallationScreen() {
  const { installation } = messages();
  const processes = useQuery({
    queryKey: ['processes'],
    queryFn: () => get<{ readonly processes: readonly Process[] }>('admin/processes'),
    refetchInterval: 5000,
  });
  const jobs = useQuery({
    queryKey: ['jobs'],
    queryFn: () => get<{ readonly jobs: readonly Job[] }>('admin/jobs'),
    refetchInterval: 5000,
  });
  const { run, error } = useAct();
  const cancel = (id: string) =>
    run(async () => {
      await call('DELETE', `admin/jobs/${id}`);
      announce(installation.canceled);
      await jobs.refetch();
    });
  return (
    <>
      <h1>{installation.title}</h1>
      <h2>{installation.processes}</h2>
      <Loaded query={processes}>
        {(data) => (
          <DataTable
            columns={[
              installation.instance,
              installation.role,
              installation.version,
              installation.started,
              installation.address,
              installation.configuration,
              installation.sequence,
            ]}
            empty={installation.none}
            rows={data.processes.map((process) => ({
              key: process.instance,
              cells: [
                process.instance,
                process.role,
                process.version,
                formatTime(process.started),
                process.address ?? '–',
                process.configuration?.slice(0, 8) ?? '–',
                process.behind_ms === 0
                  ? process.sequence
                  : `${process.sequence} (${installation.behind(process.behind_ms)})`,
              ],
            }))}
          />
        )}
      </Loaded>
      <h2>{installation.jobs}</h2>
      {error.value !== undefined && <Failure error={error.value} />}
      <Loaded query={jobs}>
        {(data) => (
          <DataTable
            columns={[
              installation.job,
              installation.state,
              installation.progress,
              installation.updated,
              installation.reason,
              installation.cancel,
            ]}
            empty={installation.none}
            rows={data.jobs.map((job) => ({
              key: job.id,
              cells: [
                job.kind,
                job.state,
                job.total === null ? job.done : `${job.done} / ${job.total}`,
                formatTime(job.due ?? job.updated),
                job.error ?? '',
                (job.state === 'waiting' || job.state === 'running') && (
                  <button key="cancel" type="button" onClick={() => void cancel(job.id)}>
                    {installation.cancel}
                  </button>
                ),
              ],
            }))}
          />
        )}
      </Loaded>
    </>
  );
}
