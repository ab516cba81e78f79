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
  /** Where mails become files. */
  readonly folder: string;
}

export interface Letter extends MailText {
  readonly to: string;
  /** The same for every attempt, so that a mail that was sent twice after a crash is known as one. */
  readonly id: string;
  readonly date: Date;
}

export interface MailTransport {
  /** Rejects when the mail was not taken. */
  send(letter: Letter): Promise<void>;
  close(): void;
}

/** Longest wait for the mail server, ms, for each of its steps. */
const PATIENCE = 30_000;

export function openTransport(settings: MailSettings): MailTransport {
  return settings.smtp === null ? toFolder(settings) : toServer(settings.smtp, settings.from);
}

function toServer(url: string, from: string): MailTransport {
  const transport = createTransport({
    url,
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    dnsTimeout: PATIENCE,
    // Whoever sits between could else take the offer of STARTTLS away and read it. What the URL says comes first.
    requireTLS: new URL(url).password !== '',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(letter) {
      await transport.sendMail(message(letter, from));
    },
    close: () => transport.close(),
  };
}

/** One `.eml` file for each mail, named after its id: whole or not there, and written again it is the same one. */
function toFolder({ folder, from }: MailSettings): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(letter) {
      const composed = await composer.sendMail(message(letter, from));
      await makeFolder(folder);
      const name = `${letter.date.toISOString().replaceAll(':', '-').slice(0, 19)}-${letter.id}.eml`;
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

function message({ to, subject, text, html, id, date }: Letter, from: string) {
  const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    // As an object, so that nothing in an address is read as a second one.
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domain}>`,
    date,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

export function letterId(occasion: string, address: string): string {
  return createHash('sha256').update(`${occasion}\n${address}`).digest('hex').slice(0, 32);
}
