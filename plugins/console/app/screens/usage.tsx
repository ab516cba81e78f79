import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { polled } from '../events.ts';
import { formatNumber, messages } from '../messages/messages.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';

const SURFACES = ['delivery', 'preview', 'manage', 'assets'] as const;
type Day = { readonly day: string } & Readonly<Record<(typeof SURFACES)[number], number>>;
const WIDTH = 600;
const HEIGHT = 160;

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
                <Chart
                  key={surface}
                  surface={surface}
                  days={days}
                  from={from}
                  to={to}
                  total={total[surface]}
                />
              ))}
            </div>
            <DataTable
              columns={[usage.day, ...SURFACES]}
              empty={usage.none}
              rows={[
                ...days.toReversed().map((day) => ({
                  key: day.day,
                  cells: [day.day, ...SURFACES.map((surface) => formatNumber(day[surface]))],
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

const DAY_MS = 86_400_000;

interface ChartProps {
  readonly surface: (typeof SURFACES)[number];
  readonly days: readonly Day[];
  readonly from: string;
  readonly to: string;
  readonly total: number;
}

/** A bar for each day of the span, also for days without calls; the table has the figures. */
function Chart({ surface, days, from, to, total }: ChartProps) {
  const { usageChart } = messages();
  const calls = new Map(days.map((day) => [day.day, day[surface]]));
  const most = Math.max(1, ...calls.values());
  const first = Date.parse(from);
  const count = Math.round((Date.parse(to) - first) / DAY_MS) + 1;
  const width = WIDTH / count;
  const text = usageChart.chart(surface, formatNumber(total));
  return (
    <figure>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text}>
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {Array.from({ length: count }, (_, at) => {
          const day = new Date(first + at * DAY_MS).toISOString().slice(0, 10);
          const height = ((calls.get(day) ?? 0) / most) * HEIGHT;
          return (
            <rect
              key={day}
              x={at * width + 1}
              y={HEIGHT - height}
              width={Math.max(1, width - 2)}
              height={height}
            />
          );
        })}
      </svg>
      <figcaption>{text}</figcaption>
    </figure>
  );
}
