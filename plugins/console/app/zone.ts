/** Times of a clock in a time zone, and the instants they stand for. */

/** Zone of this browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(zone, format);
  }
  return format;
}

/** What a clock in the zone shows at an instant: `2030-03-31T02:30`, as inputs of the kind `datetime-local` have it. */
export function clockAt(instant: Date, zone: string): string {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  // Without zeros in front, no script reads the time while someone types the year.
  const year = parts['year']?.padStart(4, '0');
  return `${year}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}`;
}

/** Longest difference between clocks of any zone and UTC, ms. */
const FURTHEST = 15 * 3_600_000;
const QUARTER = 15 * 60_000;

/**
 * The instants at which a clock in the zone shows this: one, none where clocks are put forward over it, two where they
 * are put back. In their order.
 */
export function instantsOf(clock: string, zone: string): Date[] {
  const shown = Date.parse(`${clock}Z`);
  if (Number.isNaN(shown)) return [];
  const offsets = new Set<number>();
  // Offsets before and after any change of the clocks nearby.
  for (const around of [-FURTHEST, -24 * 3_600_000, 0, FURTHEST, 24 * 3_600_000]) {
    const at = shown + around;
    const offset = Math.round((Date.parse(`${clockAt(new Date(at), zone)}Z`) - at) / QUARTER) * QUARTER;
    // No number at the end of the year 9999.
    if (!Number.isNaN(offset)) offsets.add(offset);
  }
  return [...offsets]
    .map((offset) => new Date(shown - offset))
    .filter((instant) => clockAt(instant, zone) === clock)
    .sort((one, other) => one.getTime() - other.getTime());
}

/** The zones that this browser knows, the own one first. */
export function zones(): readonly string[] {
  return [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

/** An instant in words, in a zone, with the zone's name. */
export function formatInstant(instant: Date | string, zone: string, language: string): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: zone,
    dateStyle: 'medium',
    timeStyle: 'long',
  }).format(new Date(instant));
}
