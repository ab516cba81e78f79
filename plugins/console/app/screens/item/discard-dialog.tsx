import { useQuery } from '@tanstack/preact-query';
import { call } from '../../api.ts';
import { itemTexts } from '../../messages/item.ts';
import { formatTime } from '../../messages/messages.ts';
import { savingTexts } from '../../messages/saving.ts';
import { announce } from '../../parts/announce.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useAct } from '../../parts/use-act.ts';
import type { Named } from './managed.ts';

interface DiscardPlan {
  readonly elements: readonly Named[];
  readonly last_modified: string;
  readonly user: { readonly name: string | null } | null;
  readonly scheduled_to: string | null;
  readonly version: number;
}

interface DiscardDialogProps {
  readonly project: string;
  readonly item: string;
  /** Id. */
  readonly language: string;
  /** @param isDone the public version is the latest one */
  readonly onClose: (isDone: boolean) => void;
}

/** What is lost with a draft, before it is discarded. */
export function DiscardDialog({ project, item, language, onClose }: DiscardDialogProps) {
  const { run, error, isBusy } = useAct();
  const path = `admin/projects/${project}/items/${item}/variants/${language}/discard-draft`;
  const plan = useQuery({
    queryKey: [project, 'discard', item, language],
    queryFn: ({ signal }) => call<DiscardPlan>('POST', `${path}?plan=true`, undefined, signal),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const texts = savingTexts();
  return (
    <Dialog title={texts.discardTitle} onClose={() => !isBusy.value && onClose(false)}>
      <Loaded query={plan}>
        {({ elements, user, last_modified: at, scheduled_to: scheduled }) => (
          <>
            {elements.length === 0 ? <p>{texts.discardNothing}</p> : <p>{texts.discardLoses}</p>}
            <ul>
              {elements.map(({ id, name }) => (
                <li key={id}>{name}</li>
              ))}
            </ul>
            <p>{texts.discardBy(user?.name ?? texts.installation, formatTime(at))}</p>
            {scheduled !== null && <p>{texts.discardSchedule(formatTime(scheduled))}</p>}
            <p class="hint">{texts.discardUndo}</p>
          </>
        )}
      </Loaded>
      <Failure error={error.value} />
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={() => onClose(false)}>
          {itemTexts().cancel}
        </button>
        <button
          type="button"
          class="primary"
          disabled={isBusy.value || !plan.data}
          onClick={() =>
            void run(async () => {
              await call('POST', `${path}?version=${plan.data?.version}`);
              announce(texts.discarded);
              onClose(true);
            })
          }
        >
          {texts.discardYes}
        </button>
      </div>
    </Dialog>
  );
}
