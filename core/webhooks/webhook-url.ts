const URL_LIMIT = 250;
/** C0, DEL and C1: the URL parser drops some of them silently (WHATWG URL section 4.4) and escapes the others. */
const CONTROL = /\p{Cc}/u;

/**
 * A webhook URL as the URL parser normalises it: no spaces around it, host in lower case and ASCII, path
 * percent-encoded. An address without a path stays without one. A fragment is stored and never sent.
 */
export type ParsedWebhookUrl = { readonly url: string } | { readonly problem: string };

/** Validates URLs of webhooks from every source. */
export function parseWebhookUrl(text: string): ParsedWebhookUrl {
  if (CONTROL.test(text))
    return { problem: 'The URL must not hold control characters, line breaks or tabs.' };
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    return { problem: 'The URL must be absolute and begin with https:// or http://.' };
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return {
      problem: 'The URL must not hold a user name or password; use the secret to identify notifications.',
    };
  }
  const url = parsed.href === `${text}/` ? text : parsed.href;
  // As it is stored: what clients read can be sent back.
  return url.length > URL_LIMIT
    ? { problem: `The URL must not be longer than ${URL_LIMIT} characters once it is percent-encoded.` }
    : { url };
}
