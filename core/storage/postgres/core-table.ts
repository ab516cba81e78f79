import { randomUUID } from 'node:crypto';
import { programVersion } from '../../../config/program-version.ts';
import { type CoreRegistry, type OtherCore, REGISTERED_MS, type RegisteredCore } from '../core-registry.ts';
import { arrayLiteral } from './array-literal.ts';
import type { PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';
import { CoreQuestions } from './core-questions.ts';

const CHANNEL = 'headwater_cores';
/** Cores of versions before it do not listen there. */
const QUESTIONS = 'headwater_core_questions';
const SESSION = `SET jit = off; LISTEN ${CHANNEL}; LISTEN ${QUESTIONS}`;
const ANSWER_MS = 2000;
/** Of cores that ended long ago. */
const REMOVED_MS = 60_000;

const interval = (milliseconds: number) => `clock_timestamp() - interval '${milliseconds} milliseconds'`;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly gateways: string;
  readonly confirmed: number;
  readonly age: number;
}

/** The table `running_core`, and notifications beside it, over a session of its own. */
export class CoreTable implements CoreRegistry {
  readonly #id = randomUUID();
  readonly #session: PostgresConnection;
  readonly #questions: CoreQuestions;
  #announced: (id: string, confirmed: number) => void = () => {};
  #changed = () => {};
  #gateways: string | undefined;
  #process: number | undefined;

  constructor(connections: Connections) {
    this.#questions = new CoreQuestions(this.#id, (payloads) => this.#notify(payloads, QUESTIONS));
    this.#session = connections.lazy(SESSION, ({ channel, payload = '' }) => {
      // One that cannot be answered is left out.
      if (channel === QUESTIONS) return void this.#questions.received(payload).catch(() => undefined);
      const [id = '', confirmed] = payload.split(' ');
      if (id === this.#id) return;
      if (confirmed === undefined) this.#changed();
      else this.#announced(id, Number(confirmed));
    });
  }

  async write({ state, gateways, confirmed }: RegisteredCore): Promise<void> {
    const listed = JSON.stringify(gateways);
    const values = [this.#id, state, listed, confirmed, programVersion()];
    if (this.#gateways === undefined)
      await this.#answered(() =>
        this.#session.run(`DELETE FROM running_core WHERE updated < ${interval(REMOVED_MS)}`),
      );
    await this.#answered(() =>
      this.#session.run(
        `INSERT INTO running_core (id, state, gateways, confirmed, version, updated)
         VALUES (?, ?, ?, ?, ?, clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, gateways = excluded.gateways,
           confirmed = excluded.confirmed, updated = excluded.updated`,
        values,
      ),
    );
    if (this.#gateways !== listed) await this.#notify([this.#id]);
    this.#gateways = listed;
  }

  async read(): Promise<readonly OtherCore[]> {
    const rows = await this.#answered(() =>
      this.#session.all<Row>(
        `SELECT id, state, gateways, confirmed, extract(epoch FROM clock_timestamp() - updated)::float8 * 1000 AS age
         FROM running_core WHERE id <> ? AND updated > ${interval(REGISTERED_MS)}`,
        [this.#id],
      ),
    );
    return rows.map((row) => ({ ...row, gateways: JSON.parse(row.gateways) }));
  }

  async hasOtherVersions(): Promise<boolean> {
    const rows = await this.#answered(() =>
      this.#session.all(
        `SELECT 1 FROM running_core WHERE updated > ${interval(REGISTERED_MS)} AND version IS DISTINCT FROM ? LIMIT 1`,
        [programVersion()],
      ),
    );
    return rows.length > 0;
  }

  announce(confirmed: number): Promise<void> {
    return this.#notify([`${this.#id} ${confirmed}`]);
  }

  ask(question: string, count: number): Promise<readonly (string | null)[]> {
    return this.#questions.ask(question, count);
  }

  answer(source: (question: string) => Promise<string>): void {
    this.#questions.answer(source);
  }

  listen(announced: (id: string, confirmed: number) => void, changed: () => void): void {
    this.#announced = announced;
    this.#changed = changed;
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #notify(payloads: readonly string[], channel = CHANNEL): Promise<void> {
    await this.#answered(() =>
      this.#session.run(
        `SELECT pg_notify('${channel}', payload) FROM unnest(CAST(? AS text[])) AS p (payload)`,
        [arrayLiteral(payloads)],
      ),
    );
  }

  async #answered<T>(send: () => Promise<T>): Promise<T> {
    this.#session.acquire({ class: 'background' });
    const answer = await this.#session.within(ANSWER_MS, send());
    // What was sent to a session that was lost is lost too.
    if (this.#process !== undefined && this.#process !== this.#session.pid) this.#changed();
    this.#process = this.#session.pid;
    return answer;
  }
}
