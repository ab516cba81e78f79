/** The events that mails report, with the facts in the text. */
export type MailEvent =
  /** An hour of failures (spec 6.1). */
  | { readonly kind: 'webhook-failing'; readonly webhook: WebhookFacts; readonly since: string }
  /** A notification was dropped after three days. */
  | { readonly kind: 'webhook-dropped'; readonly webhook: WebhookFacts; readonly since: string }
  /** The webhook works again after one of the mails above. */
  | { readonly kind: 'webhook-recovered'; readonly webhook: WebhookFacts; readonly since: string }
  /** Five days before (spec section 3). */
  | { readonly kind: 'key-expiring'; readonly key: KeyFacts }
  /** A user can sign in at the console; the mail gets its one-time link when it is sent. */
  | { readonly kind: 'invitation'; readonly invitation: InvitationFacts };

interface WebhookFacts {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Name of the project. */
  readonly project: string;
}

export interface InvitationFacts {
  readonly id: string;
  /** Id of the user. */
  readonly account: string;
  readonly name: string;
  /** Base URL of the console. */
  readonly consoleUrl: string;
}

interface KeyFacts {
  readonly id: string;
  /** Last characters, which identify the key. */
  readonly tail: string;
  /** Name of the owner. */
  readonly user: string;
  /** ISO time. */
  readonly expires: string;
  /** Name of the project. */
  readonly project: string;
}

/** Identifies what one address is mailed about once: new failures of a webhook have another `since`. */
export function nameOf(event: MailEvent): string {
  if (event.kind === 'invitation') return `${event.kind}:${event.invitation.id}`;
  if (event.kind === 'key-expiring') return `${event.kind}:${event.key.id}:${event.key.expires}`;
  return `${event.kind}:${event.webhook.id}:${event.since}`;
}
