import { useSignal } from '@preact/signals';
import { ApiError } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { useAct } from './use-act.ts';

/** An act that readers or others would notice, or that cannot be undone. */
export interface Question {
  readonly title: string;
  /** What the act does, in sentences. */
  readonly plan: readonly string[];
  /** Text of its button. */
  readonly act: string;
  /** The dialog stays with the error where it fails. */
  run(): Promise<unknown>;
  /** Once the dialog has closed. */
  done?(): void;
}

/** Shows what acts do before they are done. @returns `ask`, and the dialog to draw */
export function useQuestion() {
  const asked = useSignal<Question | undefined>(undefined);
  const question = asked.value;
  return {
    ask(question: Question) {
      asked.value = question;
    },
    dialog: question && (
      <QuestionDialog
        question={question}
        onClose={() => {
          // Another one may have been asked meanwhile.
          if (asked.peek() === question) asked.value = undefined;
        }}
      />
    ),
  };
}

function QuestionDialog({
  question,
  onClose,
}: {
  readonly question: Question;
  readonly onClose: () => void;
}) {
  const { dialog, failure } = messages();
  const { run, error, isBusy } = useAct();
  const act = () =>
    run(async () => {
      await question.run();
      onClose();
      question.done?.();
    });
  return (
    <Dialog title={question.title} {...(!isBusy.value && { onClose })}>
      {question.plan.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {error.value instanceof ApiError && error.value.status === 412 ? (
        <p class="failure" role="alert">
          {failure.otherMeanwhile}
        </p>
      ) : (
        <Failure error={error.value} />
      )}
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={onClose}>
          {dialog.cancel}
        </button>
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void act()}>
          {question.act}
        </button>
      </div>
    </Dialog>
  );
}
