import { type Query, useQueryClient } from '@tanstack/preact-query';

/**
 * Reads at once what has failed, be it for the last time. Of a query that waits for its next try, `refetch` would be that try,
 * at its time: up to a minute later, where a limit says so.
 */
export function useTryAgain(): () => void {
  const queries = useQueryClient();
  return () => {
    const failed = new Set(
      queries
        .getQueryCache()
        .findAll({ type: 'active', predicate: ({ state }) => state.fetchFailureCount > 0 }),
    );
    const predicate = (query: Query) => failed.has(query);
    void queries.cancelQueries({ predicate }).then(() => queries.refetchQueries({ predicate }));
  };
}
