import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ApiError, type Issue, query } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { announce } from '../parts/announce.tsx';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { ServerText } from '../parts/server-text.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { upload } from '../upload.ts';

interface Imported {
  readonly id: string;
  readonly repeated: boolean;
  readonly items: number;
  readonly assets: number;
  readonly violations: readonly Issue[];
}

/** Uploads an archive as a new project; findings are listed in words. */
export function ImportDialog({
  onClose,
  onDone,
}: {
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { transfer } = messages();
  const { run, error, isBusy } = useAct();
  const unsaved = useUnsaved('import');
  const part = useSignal(0);
  const imported = useSignal<Imported | undefined>(undefined);
  /** Of a new project: the same for each attempt, so that one whose answer was lost is found. */
  const newId = useMemo(() => crypto.randomUUID(), []);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(new Error('The dialog was closed.')), []);

  const start = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const file = form.get('archive') as File;
    const id = form.has('new') ? newId : undefined;
    return run(async () => {
      part.value = 0;
      const { signal } = stop.current;
      const path = `admin/projects/import${query({ id, name: String(form.get('name')) })}`;
      imported.value = await upload<Imported>(
        path,
        file,
        (done) => {
          part.value = done;
        },
        signal,
      );
      void unsaved.clear();
      const { repeated, items, assets } = imported.value;
      announce(repeated ? transfer.importedBefore : transfer.imported(items, assets));
      onDone();
    });
  };
  const done = imported.value;
  const issues = error.value instanceof ApiError ? error.value.issues : [];

  return (
    <Dialog title={transfer.importTitle} onClose={onClose} isForm={!done}>
      {done ? (
        <>
          <p>{done.repeated ? transfer.importedBefore : transfer.imported(done.items, done.assets)}</p>
          {done.violations.length > 0 && (
            <>
              <p>{transfer.violations}</p>
              <Issues issues={done.violations} />
            </>
          )}
          <div class="actions">
            <Link href={`/projects/${done.id}/home`}>{transfer.openProject}</Link>
            <button type="button" class="primary" onClick={onClose}>
              {transfer.close}
            </button>
          </div>
        </>
      ) : (
        <UnsavedForm unsaved={unsaved} onSubmit={(event) => void start(event)}>
          <Field label={transfer.importFile} name="archive" type="file" accept=".tar" required />
          <Field label={transfer.importName} name="name" maxLength={100} />
          <label class="check">
            <input type="checkbox" name="new" /> {transfer.importAsNew}
          </label>
          {isBusy.value && (
            <p>
              <progress aria-label={transfer.importTitle} {...(part.value < 1 && { value: part.value })} />{' '}
              {part.value < 1 && transfer.importing(Math.floor(part.value * 100))}
            </p>
          )}
          {/* Not around the progress, of which a screen reader would read each per cent. */}
          <div role="status">{isBusy.value && part.value === 1 && <p>{transfer.finishing}</p>}</div>
          {error.value !== undefined &&
            (issues.length > 0 ? (
              <div class="failure" role="alert">
                <p>{transfer.findings}</p>
                <Issues issues={issues} />
              </div>
            ) : (
              <Failure error={error.value} />
            ))}
          <FormActions submit={transfer.importStart} isDisabled={isBusy.value} />
        </UnsavedForm>
      )}
    </Dialog>
  );
}

const SHOWN = 100;

function Issues({ issues }: { readonly issues: readonly Issue[] }) {
  const { transfer } = messages();
  return (
    <ul>
      {issues.slice(0, SHOWN).map(({ message, file, row, path }) => (
        <li key={`${file} ${row} ${path} ${message}`}>
          {file !== undefined && `${transfer.where(file, row)}: `}
          <ServerText text={message} />
        </li>
      ))}
    </ul>
  );
}
