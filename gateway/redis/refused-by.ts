/**
 * Why a process does not start.
 *
 * @param refusal a reply of Redis, or what was found
 */
export function refusedBy(refusal: string, role: 'gateway' | 'core'): string {
  const reason = refusal.replace(/\.$/, '');
  return /^[A-Z]{3,} ?/.test(reason)
    ? `Redis refuses this ${role}; look at redisUrl: ${reason}.`
    : `This ${role} cannot use the server of redisUrl: ${reason}.`;
}
