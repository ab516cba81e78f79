/** What people are told of by mail, and what a mail says about it. */
export type Occasion =
  /** After an hour of failures (spec 6.1). */
  | { readonly kind: 'webhook-failing'; readonly webhook: WebhookFacts; readonly since: string }
  /** After three days: a notification was dropped. */
  | { readonly kind: 'webhook-dropped'; readonly webhook: WebhookFacts; readonly since: string }
  /** It works again, and one of the others was sent. */
  | { readonly kind: 'webhook-recovered'; readonly webhook: WebhookFacts; readonly since: string }
  /** Five days ahead (spec section 3). */
  | { readonly kind: 'key-expiring'; readonly key: KeyFacts };

interface WebhookFacts {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Name of the project. */
  readonly project: string;
}

interface KeyFacts {
  readonly id: string;
  /** Last characters, to tell keys apart. */
  readonly tail: string;
  /** Name of the user it belongs to. */
  readonly user: string;
  /** ISO time. */
  readonly expires: string;
  /** Name of the project. */
  readonly project: string;
}

/** The same for what one address is told of once: a webhook's failures begin anew with another `since`. */
export function nameOf(occasion: Occasion): string {
  if (occasion.kind === 'key-expiring') return `${occasion.kind}:${occasion.key.id}:${occasion.key.expires}`;
  return `${occasion.kind}:${occasion.webhook.id}:${occasion.since}`;
}
