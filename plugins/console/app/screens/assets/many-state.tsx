import { failureText } from '../../failure-text.ts';
import { Progress } from '../../parts/progress.tsx';
import { nameOf } from './asset-data.ts';
import type { ManyState } from './many.ts';

interface ManyProgressProps {
  readonly state: ManyState;
  readonly label: string;
  readonly doneText: (count: number) => string;
  readonly failedText: (name: string) => string;
}

/** How far an act on several assets is, then what came of it. */
export function ManyProgress({ state, label, doneText, failedText }: ManyProgressProps) {
  const { total, done, failed, isRunning } = state;
  return (
    <>
      {isRunning ? (
        <p>
          <Progress label={label} done={done.length + failed.length} total={total} />
        </p>
      ) : (
        <p role="status">{doneText(done.length)}</p>
      )}
      {failed.length > 0 && (
        <ul class="failure">
          {failed.map(({ asset, error }) => (
            <li key={asset.id}>
              {failedText(nameOf(asset))} {failureText(error)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
