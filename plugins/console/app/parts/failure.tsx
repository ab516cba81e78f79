import { failureSentences } from '../failure-text.ts';
import { messages } from '../messages/messages.ts';
import { MarkedWords } from './server-text.tsx';

/** An error, in words, with the next step; nothing where there is no error. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  if (error === undefined || error === null) return null;
  return (
    <div class="failure" role="alert">
      <p>
        <FailureText error={error} />
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
export function FailureText({ error }: { readonly error: unknown }) {
  return (
    <>
      {failureSentences(error).map((words, at) => (
        <>
          {at > 0 && ' '}
          <MarkedWords words={words} />
        </>
      ))}
    </>
  );
}
