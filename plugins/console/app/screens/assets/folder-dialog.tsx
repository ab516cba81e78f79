import { useSignal } from '@preact/signals';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { call, get } from '../../api.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { announce } from '../../parts/announce.tsx';
import { Cancel, Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { UnsavedForm, useUnsaved } from '../../parts/unsaved-form.tsx';
import { useAct } from '../../parts/use-act.ts';
import { FOLDERS, foldersPath, hasInner, type Leveled } from './asset-data.ts';

interface FolderDialogProps {
  readonly project: string;
  readonly folders: readonly Leveled[];
  /** Id. */
  readonly folder: string;
  readonly onClose: (isDeleted: boolean) => void;
}

/** Renames a folder, or deletes it where it is empty. */
export function FolderDialog({ project, folders, folder, onClose }: FolderDialogProps) {
  const own = assetsTexts().folders;
  const inner = hasInner(folders, folder);
  const name = useSignal(folders.find(({ id }) => id === folder)?.name ?? '');
  const queries = useQueryClient();
  const { run, error, isBusy } = useAct();
  const unsaved = useUnsaved('folder', project, folder);
  const content = useQuery({
    queryKey: [project, 'assets in folder', folder],
    queryFn: () =>
      get<{ readonly total: number }>(`admin/projects/${project}/assets?folder=${folder}&limit=1&offset=0`),
    meta: { follows: ['asset'] },
  });
  const change = (operation: object, done: string, isDeleted: boolean) =>
    run(async () => {
      await call('PATCH', foldersPath(project), [{ ...operation, reference: { id: folder } }]);
      await queries.invalidateQueries({ queryKey: [project, FOLDERS] });
      void unsaved.clear();
      announce(done);
      onClose(isDeleted);
    });
  return (
    <Dialog title={own.title} onClose={() => onClose(false)} isForm>
      <UnsavedForm
        unsaved={unsaved}
        onSubmit={(event) => {
          event.preventDefault();
          void change({ op: 'rename', value: name.value.trim() }, own.renamed, false);
        }}
      >
        <Field
          label={own.name}
          required
          maxLength={250}
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
        <Loaded query={content}>
          {({ total }) => <p>{total > 0 || inner ? own.content(total, inner) : own.empty}</p>}
        </Loaded>
        <Failure error={error.value} />
        <div class="actions">
          <Cancel>{assetsTexts().cancel}</Cancel>
          {content.data?.total === 0 && !inner && (
            <button
              type="button"
              disabled={isBusy.value}
              onClick={() => void change({ op: 'remove', if_empty: true }, own.deleted, true)}
            >
              {own.delete}
            </button>
          )}
          <button type="submit" class="primary" disabled={isBusy.value || name.value.trim() === ''}>
            {own.rename}
          </button>
        </div>
      </UnsavedForm>
    </Dialog>
  );
}
