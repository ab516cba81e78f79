/** Files on their way to the server, one entry each. They go on while other screens are shown. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

/** Files that are sent at the same time. */
const AT_ONCE = 3;

export interface UploadFile {
  readonly name: string;
  readonly size: number;
}

/** Why a file is not sent at all. */
export type Refusal = 'empty' | 'too large';

export type UploadState =
  | { readonly kind: 'waiting' | 'canceled' }
  | { readonly kind: 'sending'; readonly part: number }
  | { readonly kind: 'done'; readonly isReadable: boolean }
  /** `refusal`: trying again would not help. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly refusal?: Refusal };

/** What of an upload is done already: a further attempt goes on from there. */
export interface Progress<Stored> {
  stored?: Stored;
}

/**
 * Sends one file.
 * @returns whether the service can read it as what it says to be
 */
export type Send<F, Stored> = (
  file: F,
  done: Progress<Stored>,
  progress: (part: number) => void,
  signal: AbortSignal,
) => Promise<boolean>;

export interface Upload<F extends UploadFile> {
  readonly key: number;
  readonly file: F;
  readonly state: ReadonlySignal<UploadState>;
}

interface Entry<F extends UploadFile, Stored> extends Upload<F> {
  readonly state: Signal<UploadState>;
  readonly done: Progress<Stored>;
  ending: AbortController;
}

export class Uploads<F extends UploadFile, Stored = unknown> {
  readonly #entries = signal<readonly Entry<F, Stored>[]>([]);
  readonly #send: Send<F, Stored>;
  readonly #mostBytes: number;
  #keys = 0;
  #sending = 0;

  /** @param mostBytes of a file */
  constructor(send: Send<F, Stored>, mostBytes: number) {
    this.#send = send;
    this.#mostBytes = mostBytes;
  }

  get entries(): ReadonlySignal<readonly Upload<F>[]> {
    return this.#entries;
  }

  /** Whether leaving the page would lose something. */
  get isOpen(): boolean {
    return this.#entries.value.some(({ state }) => isOpen(state.value));
  }

  add(files: readonly F[]): void {
    const added = files.map((file) => ({
      key: ++this.#keys,
      file,
      state: signal<UploadState>(this.#refusal(file) ?? { kind: 'waiting' }),
      done: {},
      ending: new AbortController(),
    }));
    this.#entries.value = [...this.#entries.value, ...added];
    this.#next();
  }

  /** Tries those again that failed or were canceled. @param only one of them */
  retry(only?: number): void {
    for (const entry of this.#entries.value) {
      const { kind } = entry.state.value;
      const isWanted = only === undefined ? kind === 'failed' : entry.key === only && kind !== 'done';
      if (!isWanted || isOpen(entry.state.value)) continue;
      entry.ending = new AbortController();
      entry.state.value = this.#refusal(entry.file) ?? { kind: 'waiting' };
    }
    this.#next();
  }

  /** @param only one of them */
  cancel(only?: number): void {
    for (const { key, state, ending } of this.#entries.value) {
      if ((only !== undefined && key !== only) || !isOpen(state.value)) continue;
      state.value = { kind: 'canceled' };
      ending.abort(new Error('The upload was canceled.'));
    }
  }

  /** Removes those that are done or canceled from the list. */
  clear(): void {
    this.#entries.value = this.#entries.value.filter(
      ({ state: { value } }) => value.kind === 'failed' || isOpen(value),
    );
  }

  #refusal({ size }: F): UploadState | undefined {
    const refusal = size === 0 ? 'empty' : size > this.#mostBytes ? 'too large' : undefined;
    return refusal && { kind: 'failed', error: undefined, refusal };
  }

  #next(): void {
    for (const entry of this.#entries.value) {
      if (this.#sending >= AT_ONCE) return;
      if (entry.state.value.kind === 'waiting') void this.#run(entry);
    }
  }

  async #run({ file, state, done, ending }: Entry<F, Stored>): Promise<void> {
    this.#sending += 1;
    // A canceled attempt may end after the next one began.
    const set = (next: UploadState) => {
      if (!ending.signal.aborted) state.value = next;
    };
    set({ kind: 'sending', part: 0 });
    try {
      const isReadable = await this.#send(
        file,
        done,
        (part) => set({ kind: 'sending', part }),
        ending.signal,
      );
      set({ kind: 'done', isReadable });
    } catch (error) {
      set({ kind: 'failed', error });
    } finally {
      this.#sending -= 1;
      this.#next();
    }
  }
}

function isOpen({ kind }: UploadState): boolean {
  return kind === 'waiting' || kind === 'sending';
}
