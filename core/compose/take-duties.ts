import { DUTIES, type DutyName } from '../../config/duty-settings.ts';
import { type Duty, NO_DUTY } from '../storage/owner.ts';
import type { Resources } from './open-resources.ts';

/** What this process does beside its answers to requests. */
export interface Duties extends Readonly<Record<Exclude<DutyName, 'webhooks'>, Duty>> {
  /** Several processes share the queues: each queue has an owner. */
  readonly webhooks: boolean;
  /** Belongs to recompilation in the settings. Version 0.2.0 does not know it, so it has a lock of its own. */
  readonly listing: Duty;
  /** A command takes over no work of other processes. */
  readonly takesOver: boolean;
}

/** Commands perform none. */
export async function takeDuties({ options, storage }: Resources): Promise<Duties> {
  const { duties = DUTIES, isCommand = false } = options;
  const performs = (name: DutyName) => !isCommand && duties.includes(name);
  const exclusive = async (name: DutyName) => (performs(name) ? storage.owner.exclusive(name) : NO_DUTY);
  return {
    webhooks: performs('webhooks'),
    mail: await exclusive('mail'),
    schedules: await exclusive('schedules'),
    recompilation: await exclusive('recompilation'),
    listing: performs('recompilation') ? await storage.owner.exclusive('listing') : NO_DUTY,
    retention: await exclusive('retention'),
    keyExpiry: await exclusive('keyExpiry'),
    takesOver: !isCommand,
  };
}
