import type { UseInfiniteQueryResult } from '@tanstack/preact-query';
import { messages } from '../messages/messages.ts';

interface MoreButtonProps {
  readonly list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  readonly text?: string;
}

/** Reads the next page of a list, once at a time; after the last one it is gone. */
export function MoreButton({ list, text }: MoreButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {text ?? messages().content.more}
    </button>
  );
}
