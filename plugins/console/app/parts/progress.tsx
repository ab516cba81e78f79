import { formatNumber } from '../messages/messages.ts';

interface ProgressProps {
  /** What it is the progress of. */
  readonly label: string;
  readonly done: number;
  /** Null: how much there is is not known. */
  readonly total: number | null;
}

export function Progress({ label, done, total }: ProgressProps) {
  if (total === null) return <>{formatNumber(done)}</>;
  return (
    <>
      <progress aria-label={label} value={done} max={Math.max(1, total)} /> {formatNumber(done)} /{' '}
      {formatNumber(total)}
    </>
  );
}
