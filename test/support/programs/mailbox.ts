import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

/** A mail server that accepts mails, or refuses a number of them first. */
export class Mailbox {
  readonly mails: Received[] = [];
  refuse = 0;
  readonly passwords: unknown[] = [];
  readonly #server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ password }, _session, done) => {
      this.passwords.push(password);
      done(null, { user: 'ann' });
    },
    onData: (stream, transaction, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (this.refuse > 0) {
          this.refuse -= 1;
          done(new Error('busy now'));
          return;
        }
        const to = transaction.envelope.rcptTo.map(({ address }) => address);
        this.mails.push({ to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
