import { type CoreAnswer, type CoreRequest, ServiceError } from '../../core/contract.ts';
import type { Clock } from '../../plugins/contract.ts';
import { type FakeCore, fakeCore, json, PROJECTS } from './fake-core.ts';

/** A clock that stands still until it is told to go on. */
export interface HandClock extends Clock {
  pass(milliseconds: number): void;
}

export function handClock(): HandClock {
  let now = 1_000_000;
  return {
    now: () => new Date(1_790_000_000_000 + now),
    monotonic: () => now,
    pass(milliseconds) {
      now += milliseconds;
    },
  };
}

/** Content of one item a path behind a core that keeps the contract of tags, sequences and `known`. */
export interface KeptContent {
  readonly core: FakeCore;
  readonly calls: number;
  readonly sequence: number;
  /** Core's calls wait while this is set; `release` lets go those that wait. */
  hold: boolean;
  failing: boolean;
  release(): void;
  /** A new version of what is at the path; undefined takes it away. The feed hears of it unless told not to. */
  publish(path: string, text: string | undefined, more?: { readonly heard?: boolean }): number;
  hear(): void;
}

const tagOf = (path: string) => `item:${path}`;

export function keptContent(): KeptContent {
  const core = fakeCore();
  const texts = new Map<string, string>();
  const changed = new Map<string, number>();
  const unheard: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  let sequence = 100;
  let calls = 0;
  const content: KeptContent = {
    core,
    get calls() {
      return calls;
    },
    get sequence() {
      return sequence;
    },
    hold: false,
    failing: false,
    release() {
      for (const go of waiting.splice(0)) go();
    },
    publish(path, text, { heard = true } = {}) {
      sequence += 1;
      if (text === undefined) texts.delete(path);
      else texts.set(path, text);
      changed.set(path, sequence);
      const change = { sequence, project: PROJECTS.open, tags: [tagOf(path)] };
      if (heard) core.emit(change);
      else unheard.push(() => core.emit(change));
      return sequence;
    },
    hear() {
      for (const tell of unheard.splice(0)) tell();
    },
  };
  core.answer = async (request) => {
    calls += 1;
    // What is read is what was there when the call began.
    const answer = answerOf(request);
    if (content.hold) await new Promise<void>((resolve) => waiting.push(resolve));
    if (content.failing) throw new Error('The database is gone.');
    return answer();
  };
  return content;

  function answerOf({ path, query, known }: CoreRequest): () => CoreAnswer {
    const at = sequence;
    const text = texts.get(path);
    const tags = [tagOf(path)];
    if (known !== undefined && known.sequence >= (changed.get(path) ?? 0)) {
      return () => ({ status: 304, headers: {}, body: null, tags, sequence: at });
    }
    const etag = `"${path.replaceAll(/\W/g, '')}-${changed.get(path)}"`;
    if (text === undefined) {
      return () => {
        throw new ServiceError('itemNotFound', `There is nothing at ${path}.`, { tags, sequence: at });
      };
    }
    return () => {
      const answer = json({ text, query }, { tags, sequence: at });
      return { ...answer, headers: { ...answer.headers, etag } };
    };
  }
}
