import { ServiceError } from '../errors.ts';
import type { CostPart, QueryCost } from './query-cost.ts';

/** How to make a query cheaper, by its most expensive part. */
const ADVICE: Readonly<Record<CostPart, string>> = {
  conditions:
    "use fewer conditions, or add one that few items match, for example 'system.type' or 'system.codename[in]'",
  skip: "skip less: go on from the last entry with a filter on the attribute of 'order', or use '/items-feed'",
  order: "add a condition that few items match, or order by 'system.codename'",
  total: "leave out 'includeTotalCount', or add a condition that few items match",
  lists: 'list fewer values, or name fewer attributes that many types have',
};

/**
 * @param limit null = none
 * @throws ServiceError queryTooExpensive
 */
export function refuseAbove(limit: number | null, { units, parts, candidates }: QueryCost): void {
  if (limit === null || units <= limit) return;
  const [largest] = (Object.entries(parts) as [CostPart, number][]).sort(([, a], [, b]) => b - a)[0] ?? [
    'conditions',
  ];
  throw new ServiceError(
    'queryTooExpensive',
    `The query is estimated to cost ${units} units, looking at ${candidates} items; the limit is ${limit}. To stay below it, ${ADVICE[largest]}.`,
  );
}
