import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation, useSearchParams } from 'wouter-preact';
import { call, get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
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
  const path = `admin/projects/${project}/views`;
  const listed = useQuery({
    queryKey: [project, 'views'],
    queryFn: async () => (await get<{ readonly views: readonly SavedView[] }>(path)).views,
  });
  const open = (query: string) => {
    onClose();
    navigate(`/projects/${project}/content${query === '' ? '' : `?${query}`}`);
  };
  const change = (work: () => Promise<unknown>, done: string) =>
    run(async () => {
      await work();
      await queries.invalidateQueries({ queryKey: [project, 'views'] });
      announce(done);
    });
  return (
    <Dialog title={text.title} onClose={onClose} isForm>
      {listed.isError && <Failure error={listed.error} onRetry={() => void listed.refetch()} />}
      {listed.data?.length === 0 && <p>{text.none}</p>}
      <ul class="views">
        {(listed.data ?? []).map((view) => (
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
                    disabled={isBusy.value}
                    onClick={() =>
                      void change(
                        () => call('PATCH', `${path}/${view.id}`, { query: search.toString() }),
                        text.saved(view.name),
                      )
                    }
                  >
                    {text.replace}
                  </button>
                )}
                {view.allowed.includes('remove') && (
                  <button
                    type="button"
                    aria-label={text.removeOf(view.name)}
                    disabled={isBusy.value}
                    onClick={() =>
                      void change(() => call('DELETE', `${path}/${view.id}`), text.removed(view.name))
                    }
                  >
                    {text.remove}
                  </button>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const data = new FormData(form);
          const name = String(data.get('name'));
          const view = { name, query: search.toString(), is_shared: data.has('shared') };
          void change(async () => {
            await call('POST', path, view);
            form.reset();
          }, text.saved(name));
        }}
      >
        <Field label={text.name} name="name" required maxLength={100} hint={text.hint} />
        <label class="check">
          <input type="checkbox" name="shared" /> {text.share}
        </label>
        {error.value !== undefined && <Failure error={error.value} />}
        <div class="actions">
          <button type="button" onClick={onClose}>
            {close}
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {text.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
