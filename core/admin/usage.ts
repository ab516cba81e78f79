import { ServiceError } from '../errors.ts';
import { arrayOf, closed, count, text, time } from '../http/openapi-shapes.ts';
import { COUNTED_SURFACES } from '../usage/counts.ts';
import { dayOf } from '../usage/quotas.ts';
import { noCalls, readUsage } from '../usage/usage.ts';
import { ok } from './call.ts';
import { query, routesOf, shows } from './route.ts';

const DAY = 86_400_000;
const DEFAULT_DAYS = 30;
/** Two years, leap days included. */
const LONGEST_DAYS = 732;

const day = { type: 'string', format: 'date' };

const route = routesOf({ read: 'manage-apis', write: 'manage-apis' });

export const usageRoutes = [
  route('GET projects/:project/usage', {
    id: 'getUsage',
    summary: 'Count calls by day and surface',
    parameters: [
      query('from', 'First day, as 2026-11-20 (UTC); 29 days before the last one when not given.', day),
      query('to', 'Last day, as 2026-11-20 (UTC); today when not given.', day),
    ],
    answers: shows('AdminUsage'),
    handler: async ({ operations, at, query }) => {
      const project = at('project');
      const span = spanOf(query, operations.usage.today());
      const days = await readUsage(operations.reader.sql, project, span);
      const total = noCalls();
      for (const day of days) for (const surface of COUNTED_SURFACES) total[surface] += day[surface];
      return ok({ ...span, days, total, quotas: await operations.usage.quotas(project) });
    },
  }),
];

/** @throws badRequest for an invalid day, a reversed span or one that is too long */
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
  // Date.parse accepts 2026-02-30 as the second of March.
  if (!Number.isNaN(time) && dayOf(new Date(time)) === given) return given;
  throw new ServiceError('badRequest', `'${name}' must be a day such as 2026-11-20.`);
}

const calls = Object.fromEntries(
  COUNTED_SURFACES.map((surface) => [surface, count(`Calls of ${surface}, cache hits included.`)]),
);

export const usageSchemas = {
  AdminUsage: closed(
    {
      from: text('First day of the span, UTC.'),
      to: text('Last day of the span, UTC.'),
      days: arrayOf(
        closed({ day: text('The day, UTC.'), ...calls }, 'Calls of a day.'),
        'Days on which something was called, oldest first.',
      ),
      total: closed(calls, 'Calls of all days of the span.'),
      quotas: arrayOf(
        closed(
          {
            surface: { enum: [...COUNTED_SURFACES], description: 'Whose calls are limited.' },
            period: { enum: ['day', 'month'], description: 'Running day or month, UTC.' },
            limit: count('Calls that the period allows.'),
            used: count('Calls of the running period so far.'),
            ends: time('When the next period begins.'),
          },
          'A quota.',
        ),
        'Quotas of the project, if it has any.',
      ),
    },
    'Calls of a project.',
  ),
};
