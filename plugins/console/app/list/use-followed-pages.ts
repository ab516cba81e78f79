import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import type { Kind } from '../events.ts';
import type { Pages } from './pages.ts';

/** Reads shown pages again with the queries that follow what others do, and after signing in over the page. */
export function useFollowedPages(
  pages: Pick<Pages<unknown>, 'refresh' | 'close'>,
  queryKey: readonly unknown[],
  follows: readonly Kind[],
): void {
  useEffect(() => () => pages.close(), [pages]);
  useQuery({
    queryKey,
    queryFn: () => {
      pages.refresh();
      return null;
    },
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { follows },
  });
}
