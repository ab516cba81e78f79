import { escapeAttribute } from '../model/rich-text/canonical.ts';
import type { MailEvent } from './mail-event.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface SignInLink {
  readonly token: string;
  readonly days: number;
}

/**
 * Renders subject and bodies; pure. Names and URLs come from users and are escaped.
 * @param link of an invitation
 */
export function renderMail(event: MailEvent, link?: SignInLink): MailText {
  const { subject, lines } = write(event, link);
  return {
    subject: oneLine(subject),
    text: `${lines.map(oneLine).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body>\n${lines.map((line) => `<p>${escapeAttribute(oneLine(line))}</p>`).join('\n')}\n</body></html>\n`,
  };
}

function write(
  event: MailEvent,
  link: SignInLink | undefined,
): { readonly subject: string; readonly lines: readonly string[] } {
  if (event.kind === 'invitation') {
    const { name, consoleUrl } = event.invitation;
    if (link === undefined) throw new Error('An invitation needs a sign-in link.');
    return {
      subject: `You can sign in at ${consoleUrl}`,
      lines: [
        `Hello ${name}, an operator has given you an account at ${consoleUrl}.`,
        `This link signs you in and lets you set a password. It works once, within ${link.days} days:`,
        `${consoleUrl}/sign-in#token=${link.token}`,
        'If you do not expect this mail, ignore it; an operator can give you another link later.',
      ],
    };
  }
  if (event.kind === 'key-expiring') {
    const { key } = event;
    return {
      subject: `A management key of ${key.project} expires on ${key.expires.slice(0, 10)}`,
      lines: [
        `The management API key ending in ${key.tail}, which belongs to ${key.user}, expires at ${key.expires}. It gives access to the project ${key.project}.`,
        'From then on every request with it is refused with status 403. Generate a new key and put it in the place of the old one before that.',
      ],
    };
  }
  const { webhook, since } = event;
  const label = `The webhook "${webhook.name}" of the project ${webhook.project} (${webhook.url})`;
  switch (event.kind) {
    case 'webhook-failing':
      return {
        subject: `The webhook ${webhook.name} of ${webhook.project} is failing`,
        lines: [
          `${label} has not accepted a notification since ${since}.`,
          'Notifications are kept in order and tried again, each for three days from its first attempt. The delivery log of the webhook shows every attempt and its answer.',
        ],
      };
    case 'webhook-dropped':
      return {
        subject: `A notification to ${webhook.name} of ${webhook.project} was dropped`,
        lines: [
          `${label} has not accepted a notification since ${since}. One was tried for three days and is not tried again.`,
          'The ones behind it are still tried. What was dropped can be sent again from the delivery log of the webhook.',
        ],
      };
    case 'webhook-recovered':
      return {
        subject: `The webhook ${webhook.name} of ${webhook.project} works again`,
        lines: [
          `${label} accepts notifications again. It had been failing since ${since}.`,
          'What was waiting is being delivered in order.',
        ],
      };
  }
}

/** Line breaks and other control characters could start a header or hide text. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
