import { ApiError, isNoProject } from './api.ts';
import { messages } from './messages/messages.ts';

/** What happened and what to do, for a person. */
export function failureText(error: unknown): string {
  const { failure, signIn } = messages();
  if (!(error instanceof ApiError)) return failure.unreachable;
  const { status, message, issues, requestId } = error;
  if (status === 0)
    return message === 'slow' || message === 'truncated' ? failure[message] : failure.unreachable;
  if (status === 401) return message || signIn.failed;
  if (status === 403) return message || failure.forbidden;
  if (isNoProject(error)) return failure.noProject;
  if (status === 404) return message ? `${message} ${failure.gone}` : failure.notFound;
  if (status === 412) return failure.changed;
  if (status === 429 || status === 503) return message || failure.busy;
  if (status >= 500) return failure.internal(requestId ?? '–');
  return issues.length > 0 ? issues.map((issue) => issue.message).join(' ') : message;
}
