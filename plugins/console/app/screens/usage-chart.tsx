import { formatDay, formatNumber } from '../messages/messages.ts';

const WIDTH = 600;
const HEIGHT = 160;
/** Of the smallest number of calls, so that one call beside a million can be seen. */
const LEAST_HEIGHT = 2;
const DAY_MS = 86_400_000;

interface UsageChartProps {
  readonly title: string;
  /** By day, as 2026-11-20; days without calls may be left out. */
  readonly calls: ReadonlyMap<string, number>;
  /** First and last day. */
  readonly from: string;
  readonly to: string;
}

/** A bar for each day of a span, with its figure under the pointer; a table beside it has the figures for everybody. */
export function UsageChart({ title, calls, from, to }: UsageChartProps) {
  const most = Math.max(1, ...calls.values());
  const first = Date.parse(from);
  const count = Math.round((Date.parse(to) - first) / DAY_MS) + 1;
  const width = WIDTH / count;
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div class="scale">{formatNumber(most)}</div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
        {Array.from({ length: count }, (_, at) => {
          const day = new Date(first + at * DAY_MS).toISOString().slice(0, 10);
          const value = calls.get(day) ?? 0;
          const height = value === 0 ? 0 : Math.max(LEAST_HEIGHT, (value / most) * HEIGHT);
          const x = at * width;
          return (
            <g key={day}>
              <title>{`${formatDay(day)}: ${formatNumber(value)}`}</title>
              <rect class="day" x={x} y="0" width={width} height={HEIGHT} />
              <rect x={x + 1} y={HEIGHT - height} width={Math.max(1, width - 2)} height={height} />
            </g>
          );
        })}
      </svg>
      <div class="scale">
        <span>{formatDay(from)}</span>
        <span>{formatDay(to)}</span>
      </div>
    </figure>
  );
}
