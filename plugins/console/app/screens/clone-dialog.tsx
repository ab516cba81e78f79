import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { call, get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { Progress } from '../parts/progress.tsx';
import { ServerText } from '../parts/server-text.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';

interface CloneDialogProps {
  readonly project: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Job {
  readonly state: keyof ReturnType<typeof messages>['transfer']['states'];
  readonly done: number;
  readonly total: number | null;
  readonly error: string | null;
}

/** Copies a project to a new one, and follows the job; it goes on when the dialog is closed. */
export function CloneDialog({ project, onClose, onDone }: CloneDialogProps) {
  const { transfer } = messages();
  const { run, error, isBusy } = useAct();
  const unsaved = useUnsaved('clone', project.id);
  const started = useSignal<{ readonly job: string; readonly id: string; readonly name: string } | undefined>(
    undefined,
  );
  const job = useQuery({
    queryKey: ['jobs', started.value?.job],
    queryFn: () => get<Job>(`admin/jobs/${started.value?.job}`),
    enabled: started.value !== undefined,
    meta: { follows: ['job'] },
  });
  const state = job.data?.state;
  useEffect(() => {
    if (state !== 'done' || !started.value) return;
    announce(transfer.cloned(started.value.name));
    onDone();
  }, [state]);

  const start = (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.target as HTMLFormElement).get('name'));
    return run(async () => {
      const made = await call<{ readonly job: string; readonly id: string }>(
        'POST',
        `admin/projects/${project.id}/clone`,
        { name },
      );
      void unsaved.clear();
      started.value = { ...made, name };
    });
  };
  const cancel = () =>
    run(async () => {
      await call('DELETE', `admin/jobs/${started.value?.job}`);
      await job.refetch();
    });

  return (
    <Dialog title={transfer.cloneTitle(project.name)} onClose={onClose} isForm={started.value === undefined}>
      {started.value === undefined ? (
        <UnsavedForm unsaved={unsaved} onSubmit={(event) => void start(event)}>
          <p>{transfer.cloneExplain}</p>
          <Field
            label={transfer.cloneName}
            name="name"
            required
            maxLength={100}
            defaultValue={transfer.cloneDefault(project.name)}
          />
          <Failure error={error.value} />
          <FormActions submit={transfer.cloneStart} isDisabled={isBusy.value} />
        </UnsavedForm>
      ) : (
        <>
          <Failure error={job.error} onRetry={() => void job.refetch()} />
          {job.data && (
            <p>
              <Progress label={started.value.name} done={job.data.done} total={job.data.total} />{' '}
              {/* Without the progress, of which a screen reader would read each step. */}
              <span role="status">
                {transfer.states[job.data.state]}{' '}
                {job.data.error !== null && <ServerText text={job.data.error} />}
              </span>
            </p>
          )}
          <Failure error={error.value} />
          <div class="actions">
            {state === 'done' && (
              <Link href={`/projects/${started.value.id}/home`} onClick={onClose}>
                {transfer.openProject}
              </Link>
            )}
            {state === 'running' && (
              <button type="button" disabled={isBusy.value} onClick={() => void cancel()}>
                {transfer.cancel}
              </button>
            )}
            <button type="button" class="primary" onClick={onClose}>
              {transfer.close}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
