import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { makeFolder } from '../storage/make-folder.ts';
import type { MailText } from './render-mail.ts';

export interface MailSettings {
  /** `smtp://` or `smtps://` URL with user name and password; null = mails become files. */
  readonly smtp: string | null;
  readonly from: string;
  /** Folder for mails as files. */
  readonly folder: string;
}

export interface MailMessage extends MailText {
  readonly to: string;
  /** The same for every attempt, so that mail clients recognise a mail that was sent twice after a crash. */
  readonly id: string;
  readonly date: Date;
}

export interface MailTransport {
  /** Rejects when the mail server does not accept the mail, or has not by the time of the abort. */
  send(message: MailMessage, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Timeout of each step with the mail server, ms. */
const SMTP_TIMEOUT = 30_000;

export function openTransport(settings: MailSettings): MailTransport {
  return settings.smtp === null ? toFolder(settings) : toServer(settings.smtp, settings.from);
}

function toServer(url: string, from: string): MailTransport {
  const transport = createTransport({
    url,
    connectionTimeout: SMTP_TIMEOUT,
    greetingTimeout: SMTP_TIMEOUT,
    socketTimeout: SMTP_TIMEOUT,
    dnsTimeout: SMTP_TIMEOUT,
    // Without this an attacker in between could remove the offer of STARTTLS and read the mail. Options in the URL
    // take precedence.
    requireTLS: new URL(url).password !== '',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(message, signal) {
      await transport.sendMail({ ...mailOptions(message, from), signal });
    },
    close: () => transport.close(),
  };
}

/** Writes one `.eml` file per mail, named after its id: complete or absent, and the same file when repeated. */
function toFolder({ folder, from }: MailSettings): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(message) {
      const composed = await composer.sendMail(mailOptions(message, from));
      await makeFolder(folder);
      const name = `${message.date.toISOString().replaceAll(':', '-').slice(0, 19)}-${message.id}.eml`;
      const file = await open(join(folder, `${name}.part`), 'w', 0o600);
      try {
        await file.writeFile(composed.message as Buffer);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(join(folder, `${name}.part`), join(folder, name));
    },
    close: () => composer.close(),
  };
}

function mailOptions({ to, subject, text, html, id, date }: MailMessage, from: string) {
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    // An object, so that an address cannot contain a second one.
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domain}>`,
    date,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

export function mailMessageId(name: string, address: string): string {
  return createHash('sha256').update(`${name}\n${address}`).digest('hex').slice(0, 32);
}
