import { z } from 'zod';
import { CORE_ROLES } from './role-settings.ts';

const most = (least: number) => z.int().min(least).nullable().default(null);
/** A timer takes no more than 24 days; no call of an hour is meant to be answered. */
const MOST_MS = 3_600_000;

export const deliverySettings = z
  .strictObject({
    limit: most(1).describe('Largest limit of a listing, and the limit of one that names none. null = none.'),
    depth: most(0).describe('Largest depth of linked items; null = none.'),
    answerBytes: most(1024).describe(
      'Largest response, in bytes; a streamed one is buffered until its size is known. null = none.',
    ),
    answerMilliseconds: z
      .int()
      .min(1)
      .max(MOST_MS)
      .nullable()
      .default(null)
      .describe('Time in which a response must be ready, in milliseconds; null = none.'),
    statementMilliseconds: z
      .int()
      .min(1)
      .max(MOST_MS)
      .nullable()
      .default(2000)
      .describe(
        'Longest time one statement of the database may run for a request, in milliseconds; then it is stopped and the response is 503. null = none.',
      ),
    queryCost: z
      .int()
      .min(1000)
      .nullable()
      .default(3_000_000)
      .describe(
        'Highest estimated cost of one query; a query above it gets 400 before it runs. A unit is about a microsecond of one processor core: a condition costs 2 units for each item it tests, or 0.5 for each that it finds. null = any cost.',
      ),
  })
  .prefault({})
  .meta({
    roles: CORE_ROLES,
    description:
      'Limits of one call of delivery or preview; off unless set, except the time of a statement and the cost of a query.',
  });
