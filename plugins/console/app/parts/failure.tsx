import { failureWords } from '../failure-text.ts';
import { messages } from '../messages/messages.ts';

/** An error, in words, with the next step. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>
        {failureWords(error).map(({ text, lang }, at) => (
          <>
            {at > 0 && ' '}
            {lang ? <span lang={lang}>{text}</span> : text}
          </>
        ))}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {messages().failure.retry}
        </button>
      )}
    </div>
  );
}
