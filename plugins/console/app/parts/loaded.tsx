import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { messages } from '../messages/messages.ts';
import { Failure } from './failure.tsx';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** What a query has loaded; until then that it loads, or why it failed. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  return (
    <>
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <p class="loading">{messages().loading}</p>}
      {query.data !== undefined && children(query.data)}
    </>
  );
}
