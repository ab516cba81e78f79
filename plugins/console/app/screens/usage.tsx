import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { polled } from '../events.ts';
import { formatDay, formatNumber, messages } from '../messages/messages.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { UsageChart } from './usage-chart.tsx';

const SURFACES = ['delivery', 'preview', 'manage', 'assets'] as const;
type Day = { readonly day: string } & Readonly<Record<(typeof SURFACES)[number], number>>;

interface Quota {
  readonly surface: string;
  readonly period: string;
  readonly limit: number;
  readonly used: number;
}

interface Calls {
  readonly from: string;
  readonly to: string;
  readonly days: readonly Day[];
  readonly total: Readonly<Record<(typeof SURFACES)[number], number>>;
  readonly quotas: readonly Quota[];
}

/** Calls of the last thirty days: a chart of each surface, and a table of the same figures. */
export function Usage({ project }: { readonly project: string }) {
  const { usage, usageChart } = messages();
  const read = useQuery({
    queryKey: [project, 'usage'],
    queryFn: () => get<Calls>(`admin/projects/${project}/usage`),
    ...polled(60_000),
  });
  return (
    <>
      <PageHeading>{usage.title}</PageHeading>
      <div class="bar">
        <ApiCallButton project={project} calls={() => [{ api: 'admin', path: '/usage' }]} />
      </div>
      <Loaded query={read}>
        {({ from, to, days, total, quotas }) => (
          <>
            {quotas.map(({ surface, period, used, limit }) => (
              <p key={surface + period}>
                {usageChart.quota(
                  surface,
                  usageChart.periods[period] ?? period,
                  formatNumber(used),
                  formatNumber(limit),
                )}
              </p>
            ))}
            <div class="charts">
              {SURFACES.filter((surface) => total[surface] > 0).map((surface) => (
                <UsageChart
                  key={surface}
                  title={usageChart.chart(surface, formatNumber(total[surface]))}
                  calls={new Map(days.map((day) => [day.day, day[surface]]))}
                  from={from}
                  to={to}
                />
              ))}
            </div>
            <DataTable
              columns={[usage.day, ...SURFACES]}
              empty={usage.none}
              ofFigures
              rows={[
                ...days.toReversed().map((day) => ({
                  key: day.day,
                  cells: [formatDay(day.day), ...SURFACES.map((surface) => formatNumber(day[surface]))],
                })),
                ...(days.length > 0
                  ? [
                      {
                        key: 'total',
                        cells: [usageChart.total, ...SURFACES.map((surface) => formatNumber(total[surface]))],
                      },
                    ]
                  : []),
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
