/** Work of a core beside its answers to requests. */
import { z } from 'zod';
import { CORE_ROLES } from './role-settings.ts';

export const DUTIES = ['webhooks', 'mail', 'schedules', 'recompilation', 'retention', 'keyExpiry'] as const;

export type DutyName = (typeof DUTIES)[number];

export const dutySettings = z
  .array(z.enum(DUTIES))
  .default([...DUTIES])
  .meta({
    roles: CORE_ROLES,
    description:
      'What a core does beside its answers to requests: webhooks sends notifications, mail sends mails, schedules publishes at the set times, recompilation compiles content that changes of types and names made stale, and completes the lists and full text of the console, retention removes old history and log entries, keyExpiry queues mails about keys that expire. Several cores share webhooks; each other one is done by one core at a time. Give each to at least one core.',
  });
