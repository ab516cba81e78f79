/** A time as it is stored and delivered: ISO with 7 fraction digits, UTC, so that strings order as times. */
export function timestamp(time: Date | number): string {
  return `${new Date(time).toISOString().slice(0, -1)}0000Z`;
}
