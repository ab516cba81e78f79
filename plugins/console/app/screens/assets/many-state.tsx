import { FailureText } from '../../parts/failure.tsx';
import { Progress } from '../../parts/progress.tsx';
import { type ListedAsset, nameOf } from './asset-data.ts';
import type { ManyState } from './many.ts';

/** Assets that are named. */
const NAMED = 20;

interface ManyTexts {
  readonly progress: string;
  readonly done: (count: number) => string;
  readonly failed: (name: string) => string;
  /** Of assets that the act did not come to. */
  readonly undone: (count: number) => string;
}

/** What came of an act on several assets, in one line. */
export function resultText({ done, failed, waiting }: ManyState, texts: ManyTexts): string {
  const undone = failed.length + waiting.length;
  return undone === 0 ? texts.done(done.length) : `${texts.done(done.length)} ${texts.undone(undone)}`;
}

interface ManyProgressProps {
  readonly state: ManyState;
  readonly texts: ManyTexts;
}

/** How far an act on several assets is, then what came of it. */
export function ManyProgress({ state, texts }: ManyProgressProps) {
  const { total, done, failed, waiting, isRunning } = state;
  return (
    <>
      {isRunning ? (
        <p>
          <Progress label={texts.progress} done={done.length + failed.length} total={total} />
        </p>
      ) : (
        <p role="status">{texts.done(done.length)}</p>
      )}
      {failed.length > 0 && (
        <ul class="failure">
          {failed.map(({ asset, error }) => (
            <li key={asset.id}>
              {texts.failed(nameOf(asset))} <FailureText error={error} />
            </li>
          ))}
        </ul>
      )}
      {!isRunning && waiting.length > 0 && (
        <>
          <p role="status">{texts.undone(waiting.length)}</p>
          <AssetNames assets={waiting} />
        </>
      )}
    </>
  );
}

function AssetNames({ assets }: { readonly assets: readonly ListedAsset[] }) {
  return (
    <ul>
      {assets.slice(0, NAMED).map((asset) => (
        <li key={asset.id}>{nameOf(asset)}</li>
      ))}
      {assets.length > NAMED && <li>+ {assets.length - NAMED}</li>}
    </ul>
  );
}
