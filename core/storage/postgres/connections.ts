import { PostgresConnection } from './connection.ts';
import { urlsOf } from './urls-of.ts';

const INTERRUPT_MS = 2000;

/** Makes the connections to one database, and interrupts their statements through one that serves nothing else. */
export class Connections {
  readonly #urls: readonly string[];
  /** For what has to be done while other connections are busy or lost. */
  readonly control: PostgresConnection;

  private constructor(urls: readonly string[], control: PostgresConnection) {
    this.#urls = urls;
    this.control = control;
  }

  static async open(url: string): Promise<Connections> {
    const urls = urlsOf(url);
    return new Connections(urls, await PostgresConnection.open({ urls, session: 'SET jit = off' }));
  }

  /** @returns a connection that is made by its first statement */
  lazy(session: string): PostgresConnection {
    return PostgresConnection.lazy({ urls: this.#urls, session, interrupt: (pid) => this.#interrupt(pid) });
  }

  open(session: string): Promise<PostgresConnection> {
    return PostgresConnection.open({ urls: this.#urls, session, interrupt: (pid) => this.#interrupt(pid) });
  }

  #interrupt(pid: number): Promise<unknown> {
    this.control.acquire({ class: 'background' });
    return this.control.within(INTERRUPT_MS, this.control.run('SELECT pg_cancel_backend(?::int)', [pid]));
  }
}
