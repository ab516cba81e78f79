import { ApiError, isNoProject } from './api.ts';
import { messages } from './messages/messages.ts';
import { serverWords } from './server-words/server-words.ts';
import type { Words } from './server-words/translate.ts';

/** How the management API names an operation of a PATCH. */
const OPERATION = /^Invalid operation with index '\d+': /;

/** Names the part of a form that a path of `validation_errors` is about. */
export type SubjectOf = (path: string) => string | undefined;

/** What happened and what to do, for a person: the words of sentences behind each other. */
export function failureSentences(error: unknown, subjectOf?: SubjectOf): readonly (readonly Words[])[] {
  const { failure, signIn } = messages();
  const own = (text: string) => [[{ text }]];
  if (!(error instanceof ApiError)) return own(failure.unreachable);
  const { status, message, issues, requestId } = error;
  const said = (otherwise: string) => (message === '' ? own(otherwise) : [serverWords(message)]);
  if (status === 0)
    return own(message === 'slow' || message === 'truncated' ? failure[message] : failure.unreachable);
  if (status === 401) return said(signIn.failed);
  if (status === 403) return message === '' ? own(failure.forbidden) : [serverWords(withNames(message))];
  if (isNoProject(error)) return own(failure.noProject);
  if (status === 404)
    return message === '' ? own(failure.notFound) : [serverWords(message), [{ text: failure.gone }]];
  if (status === 412) return own(failure.changed);
  if (status === 429 || status === 503) return said(failure.busy);
  if (status >= 500) return own(failure.internal(requestId ?? '–'));
  if (issues.length === 0) return [serverWords(message)];
  return issues.map((issue) => {
    const subject = subjectOf?.(issue.path ?? '');
    if (subject === undefined) return serverWords(issue.message);
    return [{ text: failure.about(subject) }, ...serverWords(issue.message.replace(OPERATION, ''))];
  });
}

/** A refusal with the names of permissions, which the server calls by their codes. */
function withNames(refusal: string): string {
  const names = Object.entries(messages().roles.permission);
  return names.reduce((text, [code, name]) => text.replace(`'${code}'`, `'${name}'`), refusal);
}
