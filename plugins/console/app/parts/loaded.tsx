import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { messages } from '../messages/messages.ts';
import { Failure } from './failure.tsx';
import { useTryAgain } from './try-again.ts';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** What a query has loaded; until then that it loads, or why it failed, also while it is tried again. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  const tryAgain = useTryAgain();
  const failed = query.error ?? query.failureReason;
  return (
    <>
      <Failure error={failed} onRetry={tryAgain} />
      {query.isPending && !failed && <p class="loading">{messages().loading}</p>}
      {query.data !== undefined && children(query.data)}
    </>
  );
}
