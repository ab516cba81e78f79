/** What others do, as the server reports it: one stream for all tabs of the browser, and queries that follow it. */
import { signal } from '@preact/signals';
import type { Query, QueryClient } from '@tanstack/preact-query';
import { BASE } from './api.ts';
import { pauseFor } from './retry-after.ts';

/** What an object that changed is. */
export type Kind =
  | 'content_item'
  | 'content_item_variant'
  | 'content_type'
  | 'snippet'
  | 'taxonomy'
  | 'language'
  | 'sitemap'
  | 'asset'
  | 'asset_folders'
  | 'webhook'
  | 'key'
  | 'project'
  | 'user'
  | 'role'
  | 'job';

declare module '@tanstack/preact-query' {
  interface Register {
    queryMeta: {
      /** The query is read again when an object of these kinds changed; of the project, where the key begins with its id. */
      readonly follows?: readonly Kind[];
      /** From `polled`. */
      readonly isPolled?: true;
    };
  }
}

interface Change {
  readonly kind: Kind;
  readonly operation: string;
  /** Of a variant: `<item>/<language>`. */
  readonly id: string;
  readonly actor: { readonly id: string; readonly name: string | null } | null;
}

export interface Presence {
  readonly tab: string;
  readonly person: { readonly id: string; readonly name: string };
  readonly project: string;
  readonly item: string;
  readonly language: string;
  readonly element: string | null;
}

type Message =
  | {
      readonly event: 'change';
      readonly data: { readonly project: string | null; readonly changes: readonly Change[] };
    }
  | { readonly event: 'job'; readonly data: { readonly project: string | null } }
  | { readonly event: 'presence'; readonly data: readonly Presence[] }
  | { readonly event: 'ready' | 'resync' | 'heartbeat' | 'bye' };

/** Between tabs: an event with the id after which the next stream resumes. `hello`: a new tab asks for what is known. */
type TabMessage = { readonly message: Message; readonly id: string } | { readonly hello: true };

const NAMES = ['ready', 'change', 'job', 'presence', 'resync', 'heartbeat', 'bye'] as const;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The server sends something every 20 s. */
const SILENT_MS = 50_000;
/** Changes of a moment are one reading. */
const GATHER_MS = 100;
/** In a page that no one uses, changes wait: reading them would keep the session alive. */
export const IDLE_MS = 600_000;

/** Who has which variant open, this tab included. */
export const presence = signal<readonly Presence[]>([]);
/** Names this tab. */
export const TAB = crypto.randomUUID();

let lastUse = Date.now();
for (const use of ['pointerdown', 'keydown'] as const)
  addEventListener(
    use,
    () => {
      const wasIdle = isIdle();
      lastUse = Date.now();
      if (!wasIdle) return;
      waiting.add(({ meta }) => meta?.isPolled === true);
      flush();
    },
    { capture: true, passive: true },
  );

/** No one has used the page for a while. */
export function isIdle(): boolean {
  return Date.now() - lastUse > IDLE_MS;
}

/**
 * Options of a query for what no event announces: it is read again at this pace, but not in a page that no one uses,
 * because that would keep the session alive.
 * @param follows what of it events announce
 */
export function polled(milliseconds: number, follows: readonly Kind[] = []) {
  const meta = { follows, isPolled: true } as const;
  return { meta, refetchInterval: () => (isIdle() ? (false as const) : milliseconds) };
}

type Affects = (query: Query) => boolean;
const all: Affects = ({ meta }) => Boolean(meta?.follows);
const waiting = new Set<Affects>();
let flush = () => {};

/** Follows what others do until the returned function is called. */
export function followEvents(queries: QueryClient): () => void {
  const channel = new BroadcastChannel('headwater-events');
  const ending = new AbortController();
  /** At first of when the page was made: the stream may open long after the first data were read. */
  let lastId = document.documentElement.dataset['position'] ?? '';
  let gathering: ReturnType<typeof setTimeout> | undefined;
  /** Whether another tab has sent an event, be it the answer to `hello`. */
  let hasReceived = false;

  flush = () => {
    if (isIdle() || waiting.size === 0) return;
    const affected = [...waiting];
    waiting.clear();
    void queries.invalidateQueries({ predicate: (query) => affected.some((affects) => affects(query)) });
  };
  const invalidate = (affects: Affects) => {
    // Others may write for days while no one uses the page.
    waiting.add(isIdle() ? all : affects);
    clearTimeout(gathering);
    gathering = setTimeout(() => flush(), GATHER_MS);
  };
  const take = (message: Message, id: string) => {
    if (id !== '') lastId = id;
    if (message.event === 'change') {
      const { project, changes } = message.data;
      const kinds = new Set<Kind>(changes.map(({ kind }) => kind));
      invalidate((query) => follows(query, kinds, project));
    } else if (message.event === 'job' || message.event === 'ready') {
      // How jobs went on before the stream began, no event says.
      invalidate((query) => follows(query, new Set(['job']), null));
    } else if (message.event === 'presence') presence.value = message.data;
    else if (message.event === 'resync') invalidate(all);
  };
  const post = (message: TabMessage) => channel.postMessage(message);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if ('message' in data) {
      // This tab has missed what the stream sent before the first event that it receives.
      if (!hasReceived && isBehind(lastId, data.id)) take({ event: 'resync' }, data.id);
      hasReceived = true;
      take(data.message, data.id);
    } else if (isLeader) post({ message: { event: 'presence', data: presence.value }, id: lastId });
  };

  let isLeader = false;
  const lead = () =>
    keepReading(
      () => lastId,
      (message, id) => {
        take(message, id);
        post({ message, id });
      },
      ending.signal,
    );
  // One tab of the browser has the lock, and the stream; another one takes over when it is closed.
  navigator.locks
    .request('headwater-events', { signal: ending.signal }, () => {
      isLeader = true;
      return lead();
    })
    .catch(() => {});
  post({ hello: true });
  return () => {
    ending.abort();
    channel.close();
    clearTimeout(gathering);
    waiting.clear();
  };
}

/** Whether there were events between two ids: `<epoch>.<sequence>`, or empty where nothing is known. */
function isBehind(id: string, other: string): boolean {
  if (id === '' || other === '') return false;
  const [[epoch, sequence], [otherEpoch, otherSequence]] = [id.split('.'), other.split('.')];
  return epoch !== otherEpoch || Number(sequence) < Number(otherSequence);
}

function follows(
  { meta, queryKey: [first] }: Query,
  kinds: ReadonlySet<Kind>,
  project: string | null,
): boolean {
  if (!meta?.follows?.some((kind) => kinds.has(kind))) return false;
  return project === null || !isId(first) || first === project;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(value);
}

/** Reads the stream again and again, behind what was read. @throws the reason of the signal once it has fired */
async function keepReading(
  after: () => string,
  take: (message: Message, id: string) => void,
  signal: AbortSignal,
): Promise<never> {
  for (let wait = SHORTEST_PAUSE_MS; ; ) {
    const wasOpen = await readOnce(after(), take, signal);
    wait = wasOpen ? SHORTEST_PAUSE_MS : Math.min(2 * wait, LONGEST_PAUSE_MS);
    await pauseFor(wait * (0.5 + Math.random()), signal);
  }
}

/** @returns whether the server accepted it */
function readOnce(
  after: string,
  take: (message: Message, id: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const source = new EventSource(`${BASE}/api/events?after=${encodeURIComponent(after)}`);
    let isOpen = false;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(silence);
      source.close();
      signal.removeEventListener('abort', end);
      resolve(isOpen);
    };
    const expectNext = () => {
      clearTimeout(silence);
      silence = setTimeout(end, SILENT_MS);
    };
    signal.addEventListener('abort', end);
    source.onerror = end;
    for (const event of NAMES)
      source.addEventListener(event, ({ data, lastEventId }: Partial<MessageEvent<string>>) => {
        expectNext();
        // The browser has an event of its own named `open`, without data.
        if (data === undefined) return;
        isOpen = true;
        take({ event, data: JSON.parse(data) } as Message, lastEventId ?? '');
        if (event === 'bye') end();
      });
    expectNext();
  });
}
