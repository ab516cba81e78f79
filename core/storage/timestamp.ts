/** A time as stored and delivered: ISO, UTC, 7 fraction digits, so that strings sort as times. */
export function timestamp(time: Date | number): string {
  return `${new Date(time).toISOString().slice(0, -1)}0000Z`;
}
