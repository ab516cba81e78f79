import { ServiceError } from '../errors.ts';
import { COUNTED_SURFACES } from '../usage/counts.ts';
import { dayOf } from '../usage/quotas.ts';
import { noCalls, readUsage } from '../usage/usage.ts';
import { ok, route } from './call.ts';

const DAY = 86_400_000;
const DEFAULT_DAYS = 30;
/** Two years, leap days included. */
const LONGEST_DAYS = 732;

export const usageRoutes = [
  route('GET', 'projects/:project/usage', async ({ operations, at, query }) => {
    const project = at('project');
    const span = spanOf(query, operations.usage.today());
    const days = await readUsage(operations.reader.sql, project, span);
    const total = noCalls();
    for (const day of days) for (const surface of COUNTED_SURFACES) total[surface] += day[surface];
    return ok({ ...span, days, total, quotas: await operations.usage.quotas(project) });
  }),
];

/** @throws badRequest for what is no day, runs backwards or is too long */
function spanOf(query: URLSearchParams, today: string): { readonly from: string; readonly to: string } {
  const to = dayIn(query, 'to') ?? today;
  const from = dayIn(query, 'from') ?? dayOf(new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY));
  if (from > to) throw new ServiceError('badRequest', `'from' (${from}) must not be after 'to' (${to}).`);
  if (Date.parse(to) - Date.parse(from) >= LONGEST_DAYS * DAY)
    throw new ServiceError('badRequest', `'from' and 'to' can be at most ${LONGEST_DAYS} days apart.`);
  return { from, to };
}

function dayIn(query: URLSearchParams, name: 'from' | 'to'): string | undefined {
  const [given, second] = query.getAll(name);
  if (given === undefined) return undefined;
  if (second !== undefined) throw new ServiceError('parameterOnce', `'${name}' may be given once only.`);
  const time = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(`${given}T00:00:00Z`) : Number.NaN;
  // The calendar has the last word: 2026-02-30 reads as the second of March.
  if (!Number.isNaN(time) && dayOf(new Date(time)) === given) return given;
  throw new ServiceError('badRequest', `'${name}' must be a day such as 2026-11-20.`);
}
