import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation, useSearchParams } from 'wouter-preact';
import { call, get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Cancel, Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { useQuestion } from '../parts/question.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';

interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly is_shared: boolean;
  readonly allowed: readonly ('change' | 'remove')[];
}

interface ViewsDialogProps {
  readonly project: string;
  readonly onClose: () => void;
}

/** Lists with a name, own and shared. */
export function ViewsDialog({ project, onClose }: ViewsDialogProps) {
  const { views: text, close } = messages();
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAct();
  const unsaved = useUnsaved('view', project);
  const { ask, dialog } = useQuestion();
  const path = `admin/projects/${project}/views`;
  const listed = useQuery({
    queryKey: [project, 'views'],
    queryFn: async () => (await get<{ readonly views: readonly SavedView[] }>(path)).views,
  });
  const open = (query: string) => {
    onClose();
    navigate(`/projects/${project}/content${query === '' ? '' : `?${query}`}`);
  };
  const reload = () => queries.invalidateQueries({ queryKey: [project, 'views'] });
  const replace = ({ id, name }: SavedView) =>
    ask({
      title: text.replaceOf(name),
      plan: text.replacePlan,
      act: text.replace,
      run: () => call('PATCH', `${path}/${id}`, { query: search.toString() }).finally(reload),
      done: () => announce(text.saved(name)),
    });
  const remove = ({ id, name }: SavedView) =>
    ask({
      title: text.removeOf(name),
      plan: text.removePlan,
      act: text.remove,
      run: () => call('DELETE', `${path}/${id}`).finally(reload),
      done: () => announce(text.removed(name)),
    });
  return (
    <Dialog title={text.title} onClose={onClose} isForm>
      <Loaded query={listed}>
        {(views) => (
          <>
            {views.length === 0 && <p>{text.none}</p>}
            <ul class="views">
              {views.map((view) => (
                <li key={view.id}>
                  <button type="button" class="text" onClick={() => open(view.query)}>
                    {view.name}
                  </button>
                  {view.is_shared && <span class="hint">{text.shared}</span>}
                  {view.allowed.length > 0 && (
                    <span class="acts">
                      {view.allowed.includes('change') && (
                        <button
                          type="button"
                          aria-label={text.replaceOf(view.name)}
                          onClick={() => replace(view)}
                        >
                          {text.replace}
                        </button>
                      )}
                      {view.allowed.includes('remove') && (
                        <button
                          type="button"
                          aria-label={text.removeOf(view.name)}
                          onClick={() => remove(view)}
                        >
                          {text.remove}
                        </button>
                      )}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <UnsavedForm
        unsaved={unsaved}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const data = new FormData(form);
          const name = String(data.get('name'));
          const view = { name, query: search.toString(), is_shared: data.has('shared') };
          void run(async () => {
            await call('POST', path, view);
            form.reset();
            await reload();
            announce(text.saved(name));
          });
        }}
      >
        <Field
          label={text.name}
          name="name"
          required
          maxLength={100}
          hint={text.hint}
          readOnly={isBusy.value}
        />
        <label class="check">
          <input type="checkbox" name="shared" /> {text.share}
        </label>
        <Failure error={error.value} />
        <div class="actions">
          <Cancel>{close}</Cancel>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {text.save}
          </button>
        </div>
      </UnsavedForm>
      {dialog}
    </Dialog>
  );
}
