/** How long history is kept; by default forever. */
import { z } from 'zod';
import { CORE_ROLES } from './role-settings.ts';
import { MOST_DAYS } from './webhook-settings.ts';

/** An act that can be undone for seven days, and is removed once a day, puts variants back into the jobs of their schedules. */
const LEAST_JOB_DAYS = 9;

const days = (least: number, description: string) =>
  z.int().min(least).max(MOST_DAYS).nullable().default(null).describe(`${description}; null = forever.`);

export const retentionSettings = z
  .strictObject({
    changeDays: days(1, 'Days for which rows of the change log, the history of items among them, are kept'),
    revisionDays: days(
      1,
      'Days for which versions of content that are neither published nor a draft are kept after a later one was written',
    ),
    jobDays: days(LEAST_JOB_DAYS, 'Days for which jobs are kept after their end'),
    auditDays: days(1, 'Days for which entries of the audit log are kept'),
  })
  .prefault({})
  .meta({ roles: CORE_ROLES, description: 'How long history is kept.' });

export type RetentionSettings = z.output<typeof retentionSettings>;
