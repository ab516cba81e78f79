/** Key of the stream of commits; those of other data, for example after a restore, have another epoch. */
export function commitKey(prefix: string, epoch: string): string {
  return `${prefix}:commits:{${epoch}}`;
}

/** Channel on which gateways confirm commits. */
export function confirmationChannel(prefix: string): string {
  return `${prefix}:confirmed`;
}
