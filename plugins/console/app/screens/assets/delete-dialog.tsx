import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { call } from '../../api.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { assetPath, type ListedAsset, nameOf } from './asset-data.ts';
import { MOST, useMany } from './many.ts';
import { ManyProgress, resultText } from './many-state.tsx';

/** Used ones that are named. */
const NAMED = 20;

interface DeleteDialogProps {
  readonly project: string;
  readonly read: () => Promise<readonly ListedAsset[]>;
  readonly onClose: (isChanged: boolean) => void;
}

/** Deletes assets that no content uses, after the plan; they can be restored from here. */
export function DeleteDialog({ project, read, onClose }: DeleteDialogProps) {
  const own = assetsTexts();
  const chosen = useQuery({
    queryKey: [project, 'chosen assets'],
    queryFn: read,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { state, run, stop } = useMany((state) => resultText(state, own.delete));
  const restoring = useMany((state) => resultText(state, own.restore));
  const isChanged = useSignal(false);
  const remove = (assets: readonly ListedAsset[]) => {
    isChanged.value = true;
    void run(assets, ({ id }) => call('DELETE', `manage/projects/${project}/assets/${id}`));
  };
  const result = state.value;
  const restored = restoring.state.value;
  /** What runs is stopped first, and says how far it came. */
  const close = () => {
    if (result?.isRunning) stop();
    else if (restored?.isRunning) restoring.stop();
    else onClose(isChanged.value);
  };
  return (
    <Dialog title={own.delete.title} onClose={close}>
      {result === undefined ? (
        <Loaded query={chosen}>
          {(assets) => <Plan project={project} assets={assets} onDelete={remove} onClose={close} />}
        </Loaded>
      ) : (
        <>
          <ManyProgress state={result} texts={own.delete} />
          {restored && <ManyProgress state={restored} texts={own.restore} />}
          <div class="actions">
            {!result.isRunning && result.done.length > 0 && restored === undefined && (
              <button
                type="button"
                onClick={() =>
                  void restoring.run(result.done, ({ id }) =>
                    call('POST', `admin/projects/${project}/assets/${id}/restore`),
                  )
                }
              >
                {own.delete.undo}
              </button>
            )}
            <button type="button" class="primary" onClick={close}>
              {result.isRunning || restored?.isRunning ? own.stop : own.close}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

interface PlanProps {
  readonly project: string;
  readonly assets: readonly ListedAsset[];
  readonly onDelete: (assets: readonly ListedAsset[]) => void;
  readonly onClose: () => void;
}

function Plan({ project, assets, onDelete, onClose }: PlanProps) {
  const own = assetsTexts();
  const used = assets.filter(({ is_used }) => is_used);
  const free = assets.filter(({ is_used }) => !is_used);
  const isTooMany = assets.length > MOST;
  const plan = free.length === 0 ? own.delete.nothing : own.delete.plan(free.length);
  return (
    <>
      <p>{isTooMany ? own.tooMany(MOST) : plan}</p>
      {used.length > 0 && !isTooMany && (
        <>
          <p>{own.delete.usedTitle}</p>
          <ul>
            {used.slice(0, NAMED).map((asset) => (
              <li key={asset.id}>
                <Link href={assetPath(project, asset.id)}>{nameOf(asset)}</Link>
              </li>
            ))}
            {used.length > NAMED && <li>+ {used.length - NAMED}</li>}
          </ul>
        </>
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {own.cancel}
        </button>
        {free.length > 0 && !isTooMany && (
          <button type="button" class="primary" onClick={() => onDelete(free)}>
            {own.delete.submit(free.length)}
          </button>
        )}
      </div>
    </>
  );
}
