/** Reads an event stream of the console as a browser does, and lets a test stop reading. */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { SESSION_COOKIE } from './console-browser.ts';

interface ReportedPresence {
  readonly tab: string;
  readonly item: string;
  readonly person: { readonly id: string; readonly name: string };
}

/** What events of all names have: a test reads what its event has. */
type EventData = readonly ReportedPresence[] & {
  readonly sequence: number;
  readonly project: string;
  readonly changes: readonly { readonly kind: string; readonly id: string }[];
  readonly tags: readonly string[];
};

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: EventData;
}

const LONGEST_WAIT_MS = 20_000;

export class EventReader {
  readonly events: StreamEvent[] = [];
  readonly response: IncomingMessage;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  readonly #request: ClientRequest;
  #rest = '';
  #id = '';
  #arrived = () => {};

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.response = response;
    response.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.ended = new Promise((resolve) => response.once('close', resolve));
  }

  /** @param cookie secret of the session */
  static open(
    url: string,
    cookie: string | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const request = get(`${url}/console/api/events`, {
        agent: false,
        headers: { ...(cookie !== undefined && { cookie: `${SESSION_COOKIE}=${cookie}` }), ...headers },
      });
      request.once('error', reject);
      request.once('response', (response) => {
        request.off('error', reject).on('error', () => {});
        resolve(new EventReader(request, response));
      });
    });
  }

  /** Id of the last event that has one. */
  get lastId(): string {
    return this.#id;
  }

  named(event: string): StreamEvent[] {
    return this.events.filter((one) => one.event === event);
  }

  /** The first event, also of those that were read already, for which `is` is true. */
  async find(event: string, is: (data: StreamEvent['data']) => boolean = () => true): Promise<StreamEvent> {
    const ends = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const found = this.named(event).find(({ data }) => is(data));
      if (found) return found;
      const left = ends - performance.now();
      if (left <= 0)
        throw new Error(`No such event '${event}' among ${this.events.map((one) => one.event).join()}.`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#arrived = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.#request.destroy();
  }

  #read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (fields['id'] !== undefined) this.#id = fields['id'];
      this.events.push({
        id: fields['id'] ?? '',
        event: fields['event'] ?? 'message',
        data: JSON.parse(fields['data'] ?? 'null'),
      });
    }
    this.#arrived();
  }
}
