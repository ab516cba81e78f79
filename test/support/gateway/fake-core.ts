import {
  type Change,
  type Core,
  type CoreAnswer,
  type CoreRequest,
  type FeedPosition,
  type KeyFacts,
  type ProjectFacts,
  type QuotaState,
  ServiceError,
  tokenHash,
  type UsageBatch,
  type UsageCount,
} from '../../../core/contract.ts';

export const ADMIN_TOKEN = 'admin-token-of-the-tests-0123456789';

export const PROJECTS = {
  open: '11111111-1111-4111-8111-111111111111',
  secured: '22222222-2222-4222-8222-222222222222',
  unknown: '99999999-9999-4999-8999-999999999999',
} as const;

export interface FakeCore extends Core {
  readonly requests: CoreRequest[];
  readonly projects: Map<string, ProjectFacts>;
  /** By token. */
  readonly keys: Map<string, KeyFacts>;
  /** Lookups that reached core, to see what is cached in front of it. */
  readonly lookups: { projects: number; keys: number };
  /** Answers everything unless a test sets its own. */
  answer: (request: CoreRequest) => Promise<CoreAnswer> | CoreAnswer;
  healthy: boolean;
  /** Ids of the keys that were reported as used, in order. */
  readonly usedKeys: string[];
  /** What was added to the usage, in order. */
  readonly counts: UsageCount[];
  /** The batches that were sent, the repeated ones included. */
  readonly batches: UsageBatch[];
  quotaStates: readonly QuotaState[];
  readonly listeners: number;
  emit(change: Partial<Change>): void;
  /** Of the feed; Infinity at the start. */
  completeUntil: number;
  /** The feed goes on behind changes that it cannot deliver. */
  reset(position: FeedPosition): void;
}

/** A core in memory that keeps the contract: two projects, one key of each kind for each of them. */
export function fakeCore(): FakeCore {
  const projects = new Map<string, ProjectFacts>();
  const keys = new Map<string, KeyFacts>();
  for (const [name, id] of Object.entries(PROJECTS)) {
    if (name === 'unknown') continue;
    projects.set(id, { id, name, secureAccess: name === 'secured', managementApi: true });
    for (const kind of ['delivery-primary', 'preview-primary', 'management'] as const) {
      const user = kind === 'management' ? 'user-1' : null;
      keys.set(`${name}-${kind}`, {
        id: `id-${name}-${kind}`,
        project: id,
        kind,
        user,
        expires: null,
        revoked: false,
      });
    }
  }
  const listeners = new Set<(change: Change) => void>();
  const resetListeners = new Set<(position: FeedPosition) => void>();
  const requests: CoreRequest[] = [];
  const lookups = { projects: 0, keys: 0 };
  const usedKeys: string[] = [];
  const counts: UsageCount[] = [];
  const batches: UsageBatch[] = [];
  let sequence = 0;
  const core: FakeCore = {
    requests,
    projects,
    keys,
    lookups,
    healthy: true,
    get listeners() {
      return listeners.size;
    },
    answer: () => json({ ok: true }),
    async handle(request) {
      // The console asks for the newest commit when it starts: no request of a test.
      if (request.surface === 'console' && request.path === '/api/changes') return json({ ok: true });
      requests.push(request);
      return core.answer(request);
    },
    access: {
      async project(id) {
        lookups.projects += 1;
        return projects.get(id);
      },
      async key(hash) {
        lookups.keys += 1;
        for (const [token, facts] of keys) if (tokenHash(token) === hash) return facts;
        return undefined;
      },
      isAdminToken: async (hash) => hash === tokenHash(ADMIN_TOKEN),
      used: (keyId) => usedKeys.push(keyId),
    },
    usedKeys,
    counts,
    batches,
    quotaStates: [],
    usage: {
      async add(batch) {
        const isNew = !batches.some(
          ({ source, number }) => source === batch.source && number >= batch.number,
        );
        batches.push(batch);
        if (isNew) counts.push(...batch.counts);
      },
      quotas: async () => core.quotaStates,
    },
    feed: {
      get completeUntil() {
        return core.completeUntil;
      },
      subscribe(listener, onReset = () => {}) {
        listeners.add(listener);
        resetListeners.add(onReset);
        return () => {
          listeners.delete(listener);
          resetListeners.delete(onReset);
        };
      },
    },
    completeUntil: Number.POSITIVE_INFINITY,
    reset(position) {
      sequence = position.sequence;
      for (const listener of resetListeners) listener(position);
    },
    emit(change) {
      sequence += 1;
      for (const listener of listeners) {
        listener({ sequence, epoch: 'epoch', project: null, tags: [], ...change });
      }
    },
    openapi: async () => ({
      openapi: '3.1.0',
      info: { title: 'Fake', version: '1' },
      paths: {},
      components: {},
    }),
    health: async () => ({
      ok: core.healthy,
      parts: { storage: { ok: core.healthy, detail: core.healthy ? 'reachable' : 'gone' } },
    }),
    close: async () => {},
  };
  return core;
}

export function json(value: unknown, more: Partial<CoreAnswer> = {}): CoreAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', etag: '"fake"' },
    body: [Buffer.from(JSON.stringify(value))],
    ...more,
  };
}

export function notFound(): never {
  throw new ServiceError('itemNotFound', "The requested content item 'nothing' was not found.");
}
