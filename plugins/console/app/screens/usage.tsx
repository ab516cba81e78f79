import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Loaded } from '../parts/loaded.tsx';

const SURFACES = ['delivery', 'preview', 'manage', 'assets'] as const;
type Day = { readonly day: string } & Readonly<Record<(typeof SURFACES)[number], number>>;
const WIDTH = 600;
const HEIGHT = 160;

/** Calls of the last thirty days, as a chart and as a table. */
export function Usage({ project }: { readonly project: string }) {
  const { usage } = messages();
  const read = useQuery({
    queryKey: [project, 'usage'],
    queryFn: () =>
      get<{ readonly days: readonly Day[]; readonly total: Readonly<Record<string, number>> }>(
        `admin/projects/${project}/usage`,
      ),
  });
  return (
    <>
      <h1>{usage.title}</h1>
      <Loaded query={read}>
        {({ days }) => (
          <>
            <Chart days={days} />
            <DataTable
              columns={[usage.day, ...SURFACES]}
              empty={usage.none}
              rows={days.toReversed().map((day) => ({
                key: day.day,
                cells: [day.day, ...SURFACES.map((surface) => day[surface])],
              }))}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

/** A bar for each day; the table below has the figures. */
function Chart({ days }: { readonly days: readonly Day[] }) {
  const sums = days.map((day) => SURFACES.reduce((sum, surface) => sum + day[surface], 0));
  const most = Math.max(1, ...sums);
  const width = WIDTH / Math.max(1, days.length);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <title>{messages().usage.title}</title>
      {days.map(({ day }, at) => {
        const height = ((sums[at] ?? 0) / most) * HEIGHT;
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
  );
}
