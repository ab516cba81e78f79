import { useQuery } from '@tanstack/preact-query';
import { call } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { useAct } from '../parts/use-act.ts';
import { permits, useSession } from '../session.ts';
import type { ListedItem } from './listed-item.ts';

interface Part {
  readonly id: string;
  readonly name: string;
}

interface Plan {
  readonly variants: readonly {
    readonly item: Part;
    readonly language: Part;
    readonly change: 'publish' | 'replace' | 'none';
  }[];
  readonly dangling: readonly {
    readonly from: { readonly item: Part; readonly language: Part };
    readonly to: { readonly codename: string };
  }[];
  readonly validation_errors: readonly { readonly message: string; readonly path?: string }[];
}

interface PublishDialogProps {
  readonly project: string;
  readonly items: readonly ListedItem[];
  /** Id of the language; absent: every language that has something to publish. */
  readonly language: string | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Shows what would become public, then publishes all of it or nothing. */
export function PublishDialog({ project, items, language, onClose, onDone }: PublishDialogProps) {
  const { publish, loading } = messages();
  const { run, error, isBusy } = useAct();
  const session = useSession();
  const own = session.data?.projects.find(({ id }) => id === project);
  const variants = items.flatMap((item) =>
    item.languages
      .filter(({ state }) => state === 'draft' || state === 'changed' || state === 'unpublished')
      .filter((one) => language === undefined || one.language.id === language)
      .filter((one) => permits(own, 'publish', item.type.codename, one.language.codename))
      .map((one) => ({ item: { id: item.id }, language: { id: one.language.id } })),
  );
  const planned = useQuery({
    queryKey: [project, 'publish plan', variants],
    queryFn: () => call<Plan>('POST', `admin/projects/${project}/publish?plan=true`, { variants }),
    enabled: variants.length > 0,
    gcTime: 0,
  });

  const confirm = () =>
    run(async () => {
      const done = await call<Plan>('POST', `admin/projects/${project}/publish`, { variants });
      announce(publish.done(done.variants.length));
      onDone();
    });

  const plan = planned.data;
  return (
    <Dialog title={publish.title} onClose={onClose}>
      {variants.length === 0 && <p>{publish.nothing}</p>}
      {planned.isError && <Failure error={planned.error} onRetry={() => void planned.refetch()} />}
      {variants.length > 0 && planned.isPending && <p class="loading">{loading}</p>}
      {plan && (
        <>
          <p>{publish.plan(plan.variants.length)}</p>
          <ul>
            {plan.variants.map(({ item, language: { id, name }, change }) => (
              <li key={item.id + id}>
                {item.name} ({name}) – {publish.change[change]}
              </li>
            ))}
          </ul>
          {plan.dangling.length > 0 && <p>{publish.dangling}</p>}
          <ul>
            {plan.dangling.map(({ from, to }) => (
              <li key={from.item.id + from.language.id + to.codename}>
                {from.item.name} → {to.codename}
              </li>
            ))}
          </ul>
          {plan.validation_errors.length > 0 && <p>{publish.invalid}</p>}
          <ul>
            {plan.validation_errors.map(({ message, path }) => (
              <li key={`${path} ${message}`}>{message}</li>
            ))}
          </ul>
        </>
      )}
      {error.value !== undefined && <Failure error={error.value} />}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {publish.cancel}
        </button>
        <button
          type="button"
          class="primary"
          disabled={!plan || plan.validation_errors.length > 0 || isBusy.value}
          onClick={() => void confirm()}
        >
          {publish.confirm}
        </button>
      </div>
    </Dialog>
  );
}
