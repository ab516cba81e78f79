import { failureSentences, type SubjectOf } from '../failure-text.ts';
import { messages } from '../messages/messages.ts';
import { MarkedWords } from './server-text.tsx';

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly subjectOf?: SubjectOf;
}

/** An error, in words, with the next step; nothing where there is no error. */
export function Failure({ error, onRetry, subjectOf }: FailureProps) {
  if (error === undefined || error === null) return null;
  return (
    <div class="failure" role="alert">
      <p>
        <FailureText error={error} subjectOf={subjectOf} />
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {messages().failure.retry}
        </button>
      )}
    </div>
  );
}

/** The words of an error, in a text. */
export function FailureText({ error, subjectOf }: Pick<FailureProps, 'error' | 'subjectOf'>) {
  return (
    <>
      {failureSentences(error, subjectOf).map((words, at) => (
        <>
          {at > 0 && ' '}
          <MarkedWords words={words} />
        </>
      ))}
    </>
  );
}
