import { type Installation, recordInstallationChange } from '../transaction/installation.ts';
import type { InvitationFacts } from './mail-event.ts';
import { queueMailTo } from './outbox.ts';

/** Operation of the change that wakes the sender of mails. */
export const INVITE = 'invite';

/** Mails a user a sign-in link. */
export async function invite(
  installation: Installation,
  { email, ...facts }: Omit<InvitationFacts, 'id'> & { readonly email: string },
): Promise<void> {
  const { tx, options } = installation;
  await queueMailTo(tx, email, { kind: 'invitation', invitation: { ...facts, id: options.newId() } });
  recordInstallationChange(installation, {
    type: 'user',
    operation: INVITE,
    object: facts.account,
    tags: ['users'],
  });
}
