import { type CoreAnswer, type CoreRequest, ServiceError } from '../../../core/contract.ts';
import type { Clock } from '../../../plugins/contract.ts';
import { type FakeCore, fakeCore, json, PROJECTS } from './fake-core.ts';

/** A clock that is advanced by hand. */
export interface ManualClock extends Clock {
  pass(milliseconds: number): void;
}

export function manualClock(): ManualClock {
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
export interface FakeContent {
  readonly core: FakeCore;
  readonly calls: number;
  readonly sequence: number;
  /** Core's calls wait while this is set; `release` lets go those that wait. */
  hold: boolean;
  failing: boolean;
  release(): void;
  /** A new version of what is at the path; undefined takes it away. The feed emits it at once by default. */
  publish(path: string, text: string | undefined, more?: { readonly emitted?: boolean }): number;
  emitPending(): void;
}

const tagOf = (path: string) => `item:${path}`;

export function fakeContent(): FakeContent {
  const core = fakeCore();
  const texts = new Map<string, string>();
  const changed = new Map<string, number>();
  const pending: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  let sequence = 100;
  let calls = 0;
  const content: FakeContent = {
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
    publish(path, text, { emitted = true } = {}) {
      sequence += 1;
      if (text === undefined) texts.delete(path);
      else texts.set(path, text);
      changed.set(path, sequence);
      const change = { sequence, project: PROJECTS.open, tags: [tagOf(path)] };
      if (emitted) core.emit(change);
      else pending.push(() => core.emit(change));
      return sequence;
    },
    emitPending() {
      for (const emit of pending.splice(0)) emit();
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
