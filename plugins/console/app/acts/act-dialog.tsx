import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { ApiError, type Issue } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Cancel, Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { ServerText } from '../parts/server-text.tsx';
import { useAct } from '../parts/use-act.ts';
import {
  type Act,
  type ActBody,
  type ActName,
  CHECKS_DRAFTS,
  type Dangling,
  followAct,
  hasEnded,
  planAct,
  startAct,
  undoAct,
} from './act-data.ts';
import { ActInput, START } from './act-input.tsx';
import type { PlanFindings } from './plan-findings.ts';
import { PlanText } from './plan-text.tsx';

export interface ActDialogProps {
  readonly project: string;
  readonly act: ActName;
  /** Name of the language of the list. */
  readonly language: string;
  /** Of `schedule`: the time to begin with. */
  readonly initial?: string;
  /** The objects of the act. @param isWhole whole items, not variants; undefined: there are none */
  readonly select: (isWhole: boolean) => ActBody | undefined;
  /** Whether the person may act on whole items, or on variants only; both where it is absent. */
  readonly isAllowed?: (isWhole: boolean) => boolean;
  /** The form that is open: what the plan finds is shown at its elements. */
  readonly findings?: PlanFindings;
  /** @param isChanged something may have changed */
  readonly onClose: (isChanged: boolean) => void;
}

/** An act on many objects: what it needs, the plan in words, its progress, its result and the way back. */
export function ActDialog(props: ActDialogProps) {
  const { project, act, language, initial, select, isAllowed = () => true, findings, onClose } = props;
  const { bulk, loading, close } = messages();
  const { run, error, isBusy } = useAct();
  const isChoice = isAllowed(true) && isAllowed(false);
  const chosen = useSignal(isChoice ? START[act] : { ...START[act], isWhole: isAllowed(true) });
  const started = useSignal<Act | undefined>(undefined);
  const { input, isWhole } = chosen.value;
  const objects = select(isWhole);
  const isLinkedToo = useSignal(false);
  const body = objects &&
    input && { ...objects, ...input, ...(isLinkedToo.value && { include_linked: true }) };
  const planned = useQuery({
    queryKey: [project, 'plan', act, body],
    queryFn: ({ signal }) => planAct(project, act, body ?? {}, signal),
    enabled: body !== undefined && started.value === undefined,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const plan = planned.data;
  const found = CHECKS_DRAFTS.has(act) ? findings : undefined;
  useEffect(() => {
    if (plan) found?.take(plan.violations.first, plan.dangling.first);
  }, [found, plan]);
  const showOf = (finding: Issue | Dangling) => {
    const element = found?.elementOf(finding);
    return (
      element && {
        ...element,
        show() {
          onClose(false);
          // The dialog gives the focus back when it closes.
          requestAnimationFrame(() => element.show());
        },
      }
    );
  };

  const follow = (seen: Act) => {
    started.value = seen;
    return seen;
  };
  // Ends with the dialog; the act goes on.
  const stop = useSignal(new AbortController());
  useEffect(() => () => stop.value.abort(), []);
  const finish = async (seen: Act) => {
    follow(seen);
    await followAct(project, seen, follow, stop.value.signal);
    if (started.value?.state === 'done') found?.take([], []);
  };
  const confirm = () =>
    run(async () => {
      if (!body || !plan) return;
      let begun: Act;
      try {
        begun = await startAct(project, act, body, plan);
      } catch (failure) {
        // Something changed since: the new plan is shown with what it was.
        if (failure instanceof ApiError && failure.status === 409) void planned.refetch();
        if (failure instanceof ApiError && failure.issues.length > 0) found?.take(failure.issues, []);
        throw failure;
      }
      await finish(begun);
    });
  const takeBack = () => {
    const current = started.value;
    if (!current) return;
    // While the act runs, the one who follows it sees that it is canceled.
    if (isBusy.value) void undoAct(project, current).catch(() => undefined);
    else
      void run(async () => {
        await finish(await undoAct(project, current));
      });
  };

  const seen = started.value;
  const isOpen = seen !== undefined && !hasEnded(seen);
  const isRunning = isOpen || (seen !== undefined && isBusy.value);
  return (
    <Dialog
      title={bulk.acts[act]}
      isForm={seen === undefined}
      onClose={() => {
        if (!isBusy.value || seen) onClose(seen !== undefined);
      }}
    >
      {seen === undefined && (
        <>
          <ActInput {...{ project, act, language, initial, chosen, isChoice }} />
          {objects === undefined && <p>{bulk.nothing}</p>}
          <Failure error={planned.error} onRetry={() => void planned.refetch()} />
          {body && planned.isPending && <p class="loading">{loading}</p>}
          {body && plan && (
            <PlanText
              {...{ project, plan, showOf }}
              onIncludeLinked={() => {
                isLinkedToo.value = true;
              }}
            />
          )}
        </>
      )}
      {isRunning && (
        <p>
          <label>
            {bulk.progress(seen.done, seen.total)} <progress value={seen.done} max={seen.total} />
          </label>
        </p>
      )}
      <div role="status">
        {seen && !isRunning && (
          <>
            <p>{resultText(seen)}</p>
            {seen.error && (
              <p>
                <ServerText text={seen.error} />
              </p>
            )}
          </>
        )}
      </div>
      <Failure error={error.value} {...(isOpen && { onRetry: () => void run(() => finish(seen)) })} />
      <div class="actions">
        {seen === undefined && (
          <>
            <Cancel>{bulk.cancel}</Cancel>
            <button
              type="button"
              class="primary"
              disabled={!body || !plan || plan.total === 0 || plan.violations.count > 0 || isBusy.value}
              onClick={() => void confirm()}
            >
              {bulk.confirm[act]}
            </button>
          </>
        )}
        {isRunning && seen.state === 'running' && (
          <button type="button" onClick={takeBack}>
            {bulk.cancelRunning}
          </button>
        )}
        {seen && !isRunning && (
          <>
            {seen.can_undo && (
              <button type="button" onClick={takeBack}>
                {bulk.undo}
              </button>
            )}
            <button type="button" class="primary" onClick={() => onClose(true)}>
              {close}
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}

function resultText({ act, state, done }: Act): string {
  const { bulk } = messages();
  if (state === 'done') return bulk.results[act](done);
  return done === 0 ? bulk.takenBack : bulk.takenBackBut(done);
}
