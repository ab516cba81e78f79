import { useSignal } from '@preact/signals';
import { call } from '../../api.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { Dialog, FormActions } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { UnsavedForm, useUnsaved } from '../../parts/unsaved-form.tsx';
import { useAct } from '../../parts/use-act.ts';
import { createFolder, folderOptions, type Leveled, type ListedAsset, NO_FOLDER } from './asset-data.ts';
import { MOST, useMany } from './many.ts';
import { ManyProgress, resultText } from './many-state.tsx';

interface MoveDialogProps {
  readonly project: string;
  readonly folders: readonly Leveled[];
  readonly read: () => Promise<readonly ListedAsset[]>;
  readonly onClose: (isChanged: boolean) => void;
}

/** Moves assets to a folder, an existing or a new one. */
export function MoveDialog({ project, folders, read, onClose }: MoveDialogProps) {
  const own = assetsTexts();
  const target = useSignal(NO_FOLDER);
  const added = useSignal('');
  const isTooMany = useSignal(false);
  const { run: act, error, isBusy } = useAct();
  const unsaved = useUnsaved('move', project);
  const { state, run, stop } = useMany((state) => resultText(state, own.move));
  const move = () =>
    act(async () => {
      const assets = await read();
      isTooMany.value = assets.length > MOST;
      if (isTooMany.value) return;
      const name = added.value.trim();
      const parent = target.value === NO_FOLDER ? null : target.value;
      const folder = name === '' ? target.value : await createFolder(project, parent, name);
      void unsaved.clear();
      await run(assets, ({ id }) =>
        call('PUT', `manage/projects/${project}/assets/${id}`, { folder: { id: folder } }),
      );
    });
  const result = state.value;
  /** What runs is stopped first, and says how far it came. */
  const close = () => (result?.isRunning ? stop() : onClose(result !== undefined));
  return (
    <Dialog title={own.move.title} onClose={close} isForm={result === undefined}>
      {result === undefined ? (
        <UnsavedForm
          unsaved={unsaved}
          onSubmit={(event) => {
            event.preventDefault();
            void move();
          }}
        >
          <Choice
            label={own.move.target}
            value={target.value}
            options={[{ value: NO_FOLDER, text: own.noFolder }, ...folderOptions(folders)]}
            onChange={(value) => (target.value = value)}
          />
          <Field
            label={own.move.newFolder}
            maxLength={250}
            value={added.value}
            onInput={({ currentTarget }) => (added.value = currentTarget.value)}
          />
          {isTooMany.value && (
            <p class="warning" role="alert">
              {own.tooMany(MOST)}
            </p>
          )}
          <Failure error={error.value} />
          <FormActions submit={own.move.submit} isDisabled={isBusy.value} />
        </UnsavedForm>
      ) : (
        <>
          <ManyProgress state={result} texts={own.move} />
          <div class="actions">
            <button type="button" class="primary" onClick={close}>
              {result.isRunning ? own.stop : own.close}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
