import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { polled } from '../events.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';

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

/** The processes of the installation. */
export function InstallationScreen() {
  const { installation } = messages();
  const processes = useQuery({
    queryKey: ['processes'],
    queryFn: () => get<{ readonly processes: readonly Process[] }>('admin/processes'),
    ...polled(5000),
  });
  return (
    <>
      <PageHeading>{installation.title}</PageHeading>
      <div class="bar">
        <ApiCallButton calls={() => [{ api: 'admin', path: '/processes' }]} />
      </div>
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
    </>
  );
}
