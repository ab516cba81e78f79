import { ApiError, isNoProject } from './api.ts';
import { messages } from './messages/messages.ts';
import { serverWords, type Words } from './server-words/server-words.ts';

/** What happened and what to do, for a person: sentences behind each other. */
export function failureWords(error: unknown): readonly Words[] {
  const { failure, signIn } = messages();
  const own = (text: string): Words[] => [{ text }];
  if (!(error instanceof ApiError)) return own(failure.unreachable);
  const { status, message, issues, requestId } = error;
  const said = (otherwise: string) => (message === '' ? own(otherwise) : [serverWords(message)]);
  if (status === 0)
    return own(message === 'slow' || message === 'truncated' ? failure[message] : failure.unreachable);
  if (status === 401) return said(signIn.failed);
  if (status === 403) return said(failure.forbidden);
  if (isNoProject(error)) return own(failure.noProject);
  if (status === 404)
    return message === '' ? own(failure.notFound) : [serverWords(message), { text: failure.gone }];
  if (status === 412) return own(failure.changed);
  if (status === 429 || status === 503) return said(failure.busy);
  if (status >= 500) return own(failure.internal(requestId ?? '–'));
  return issues.length > 0 ? issues.map((issue) => serverWords(issue.message)) : [serverWords(message)];
}

/** The same as one text, where no part of it can be marked as English. */
export function failureText(error: unknown): string {
  return failureWords(error)
    .map(({ text }) => text)
    .join(' ');
}
