import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { ASKED_MS } from '../core-registry.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** PostgreSQL takes notifications of up to 8,000 bytes; the rest is for what stands in front. */
const PIECE_LENGTH = 7800;
/** Of an answer: more than 6 MB before compression by a tenth. */
const MOST_PIECES = 100;
/** In place of piece, pieces and base64. */
const TOO_LONG = 'too long';
const LONGEST_ANSWER = 16 * 1024 * 1024;

/** The highest, 11, is the default: it takes 4.2 s for 2.6 MB, more than a core waits; this 0.05 s, for a fifth more bytes. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

interface Question {
  readonly answers: Map<string, string | null>;
  readonly pieces: Map<string, string[]>;
  readonly count: number;
  readonly done: () => void;
}

/**
 * Questions between cores, and their answers in compressed pieces, as notifications of the database: `? <core> <request>
 * <question>` and `! <core> <request> <piece> <pieces> <base64>` or `! <core> <request> too long`. Nothing is written.
 */
export class CoreQuestions {
  readonly #id: string;
  readonly #notify: (payloads: readonly string[]) => Promise<void>;
  readonly #asked = new Map<string, Question>();
  #source: ((question: string) => Promise<string>) | undefined;

  /**
   * @param id of this core
   * @param notify sends all of them in one statement: the session also publishes this core, which writes wait for
   */
  constructor(id: string, notify: (payloads: readonly string[]) => Promise<void>) {
    this.#id = id;
    this.#notify = notify;
  }

  answer(source: (question: string) => Promise<string>): void {
    this.#source = source;
  }

  /**
   * @param count of answers to wait for
   * @returns null for an answer that is too long to be sent
   */
  async ask(question: string, count: number): Promise<readonly (string | null)[]> {
    const request = randomUUID();
    const answers = new Map<string, string | null>();
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<void>((done) => {
      timer = setTimeout(done, ASKED_MS);
      this.#asked.set(request, { answers, pieces: new Map(), count, done });
    });
    try {
      await this.#notify([`? ${this.#id} ${request} ${question}`]);
      await answered;
    } finally {
      clearTimeout(timer);
      this.#asked.delete(request);
    }
    return [...answers.values()];
  }

  /** A notification of another core, or an own one. */
  async received(payload: string): Promise<void> {
    const [kind, core = '', request = ''] = payload.split(' ', 3);
    if (core === this.#id) return;
    const rest = payload.slice(`${kind} ${core} ${request} `.length);
    if (kind === '?' && this.#source) await this.#send(request, await this.#source(rest));
    const question = this.#asked.get(request);
    if (kind === '!' && question) await this.#take(question, core, rest);
  }

  async #send(request: string, answer: string): Promise<void> {
    const text = (await compress(answer, COMPRESSION)).toString('base64');
    const count = Math.ceil(text.length / PIECE_LENGTH);
    const head = `! ${this.#id} ${request}`;
    if (count > MOST_PIECES) return this.#notify([`${head} ${TOO_LONG}`]);
    await this.#notify(
      Array.from({ length: count }, (_, piece) => {
        const part = text.slice(piece * PIECE_LENGTH, (piece + 1) * PIECE_LENGTH);
        return `${head} ${piece} ${count} ${part}`;
      }),
    );
  }

  async #take(question: Question, core: string, rest: string): Promise<void> {
    if (rest === TOO_LONG) return this.#took(question, core, null);
    const [piece = '', count = '', part = ''] = rest.split(' ', 3);
    const pieces = question.pieces.get(core) ?? [];
    question.pieces.set(core, pieces);
    pieces[Number(piece)] = part;
    if (Object.keys(pieces).length < Number(count)) return;
    const bytes = await decompress(Buffer.from(pieces.join(''), 'base64'), {
      maxOutputLength: LONGEST_ANSWER,
    });
    this.#took(question, core, bytes.toString());
  }

  #took(question: Question, core: string, answer: string | null): void {
    question.answers.set(core, answer);
    if (question.answers.size >= question.count) question.done();
  }
}
