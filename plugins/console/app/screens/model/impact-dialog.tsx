import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call } from '../../api.ts';
import type { SubjectOf } from '../../failure-text.ts';
import { modelTexts } from '../../messages/model.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAct } from '../../parts/use-act.ts';
import { impactText, type LanguageImpact, type ModelImpact } from './impact.ts';

interface ImpactDialogProps {
  readonly title: string;
  /** What the person changes, in sentences. */
  readonly changes: readonly string[];
  /** The call that counts, with its body. */
  readonly path: string;
  readonly body: object;
  readonly confirm: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly subjectOf?: SubjectOf;
  /** The change is refused. */
  readonly onRefused?: () => void;
}

/** What a change of the model does, before it is made. */
export function ImpactDialog(props: ImpactDialogProps) {
  const { title, changes, path, body, confirm, onConfirm, onClose, subjectOf, onRefused } = props;
  const t = modelTexts();
  const impact = useSignal<ModelImpact | LanguageImpact | undefined>(undefined);
  const refusal = useSignal<unknown>(undefined);
  const { run, error, isBusy } = useAct();
  useEffect(() => {
    let isOpen = true;
    call<ModelImpact | LanguageImpact>('POST', path, body).then(
      (found) => {
        if (isOpen) impact.value = found;
      },
      (failure: unknown) => {
        if (!isOpen) return;
        refusal.value = failure;
        onRefused?.();
      },
    );
    return () => {
      isOpen = false;
    };
  }, []);
  const text = impact.value && impactText(impact.value);
  return (
    <Dialog title={title} onClose={onClose}>
      <Sentences title={t.impact.changes} sentences={changes} />
      <Failure error={refusal.value} subjectOf={subjectOf} />
      {!text && refusal.value === undefined && <p role="status">{t.impact.counting}</p>}
      {text && (
        <div role="status">
          <Sentences
            title={t.impact.content}
            sentences={text.content.length > 0 ? text.content : [t.impact.nothing]}
          />
          <Sentences title={t.impact.readers} sentences={text.readers} />
        </div>
      )}
      <Failure error={error.value} subjectOf={subjectOf} />
      <div class="actions">
        <button type="button" onClick={onClose}>
          {t.cancel}
        </button>
        {text && (
          <button type="button" class="primary" disabled={isBusy.value} onClick={() => void run(onConfirm)}>
            {confirm}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
