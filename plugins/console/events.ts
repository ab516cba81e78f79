import type { ChangesPage, Core, FeedPosition, Principal } from '../../core/contract.ts';
import { LastingFailure, ServiceError } from '../../core/contract.ts';
import type { PluginServices } from '../contract.ts';
import { changeText, grouped, idOf, isAffected, positionOf } from './change-events.ts';
import { type EventContent, eventRights, type ObservedJob, type SessionBody } from './event-rights.ts';
import { EventStream, eventText } from './event-stream.ts';
import { readFromCore } from './read-from-core.ts';

type Session = Extract<Principal, { readonly kind: 'session' }>;

interface Activity {
  readonly presence: readonly { readonly project: string; readonly content?: EventContent }[];
  readonly jobs: readonly ObservedJob[];
  readonly until: string;
}

/** Streams of one session: each browser has one. */
const STREAMS_OF_SESSION = 10;
const HEARTBEAT_MS = 20_000;
/** Between two looks at who is present and which jobs went on. */
const ACTIVITY_MS = 2000;
const RETRY_MS = 1000;
/** Pages that a reader catches up with. */
const MOST_PAGES = 20;

/**
 * The event streams of a gateway. It follows the change feed, reads the change log once for all streams, and gives each what
 * the roles of its session permit.
 */
export class ConsoleEvents {
  readonly #core: Pick<Core, 'handle'>;
  readonly #services: Pick<PluginServices, 'feed' | 'ids' | 'log'>;
  readonly #streams = new Set<EventStream>();
  readonly #unsubscribe: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #activityTimer: NodeJS.Timeout | undefined;
  /** Up to where the streams that follow have everything; undefined without streams. */
  #position: FeedPosition | undefined;
  /** The newest commit that the feed has reported, or that there was when it was first asked for. */
  #newest: FeedPosition | undefined;
  /** The newest commit that the streams have to get. */
  #wanted = 0;
  #reading: Promise<void> | undefined;
  #since: string | undefined;
  #isLooking = false;
  #looksAgain = false;
  /** Sessions are looked up one after the other. */
  #identifying: Promise<void> = Promise.resolve();
  #presence: Activity['presence'] = [];
  readonly #failure = new LastingFailure();
  #isClosed = false;

  constructor(services: Pick<PluginServices, 'core' | 'feed' | 'ids' | 'log'>) {
    this.#core = services.core;
    this.#services = services;
    this.#unsubscribe = services.feed.subscribe(
      (change) => this.#committed(change),
      (position) => this.#committed(position),
    );
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * The event id after which the stream of a page that is made now has to begin: what the page reads is at least as new.
   * Empty until it is known.
   */
  get pageId(): string {
    if (this.#newest === undefined) void this.prepare();
    return this.#newest === undefined ? '' : idOf(this.#newest);
  }

  /** Finds the newest commit. */
  async prepare(): Promise<void> {
    try {
      const { position } = await this.#changes(undefined);
      this.#newest ??= position;
    } catch {
      // A gateway may be there before its core; the next page asks again.
    }
  }

  /**
   * @param lastEventId of the event after which the reader resumes
   * @throws unauthorized without a session
   */
  async open(principal: Session, lastEventId: string): Promise<EventStream> {
    if (this.#isClosed) throw stopping();
    // Before the rights: a change of roles is either in them or follows.
    const page = await this.#changes(positionOf(lastEventId));
    const stream = new EventStream(principal.hash, await this.#identify(principal), () => this.#id());
    if (this.#isClosed) throw stopping();
    this.#position ??= page.position;
    this.#streams.add(stream);
    stream.once('close', () => this.#closed(stream));
    const own = [...this.#streams].filter(({ session }) => session === stream.session);
    if (own.length > STREAMS_OF_SESSION) own[0]!.finish('replaced');
    stream.send(eventText('ready', {}, idOf(page.position)));
    this.#sendPresence([stream]);
    void this.#follow(stream, page);
    if (this.#streams.size === 1) this.presenceChanged();
    // Committed since the log was read, while no stream was there to get it.
    const { epoch, sequence } = this.#position;
    if (this.#newest?.epoch === epoch && this.#newest.sequence > sequence) this.#committed(this.#newest);
    return stream;
  }

  /** Someone reported a presence through this gateway. */
  presenceChanged(): void {
    if (this.#isLooking) this.#looksAgain = true;
    else if (this.#streams.size > 0) this.#lookIn(0);
  }

  /** Ends all streams with a last event. */
  close(reason: string): void {
    this.#isClosed = true;
    this.#unsubscribe();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#activityTimer);
    for (const stream of this.#streams) stream.finish(reason);
  }

  #closed(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#position = undefined;
    this.#since = undefined;
    clearTimeout(this.#activityTimer);
  }

  /** Sends a stream what it missed; from then on it has what the others get. */
  async #follow(stream: EventStream, first: ChangesPage): Promise<void> {
    try {
      let page = first;
      for (let pages = 0; !stream.destroyed; pages += 1) {
        const isTooFar = page.isReset || pages === MOST_PAGES;
        if (isTooFar) stream.send(eventText('resync', {}, this.#id()));
        else this.#sendChanges([stream], page);
        const { position } = page;
        const target = this.#position;
        if (
          isTooFar ||
          target === undefined ||
          position.epoch !== target.epoch ||
          position.sequence >= target.sequence
        ) {
          stream.sequence = isTooFar ? (target ?? position).sequence : position.sequence;
          return;
        }
        page = await this.#changes(position);
      }
    } catch (error) {
      this.#failed(error);
      stream.finish('failed');
    }
  }

  #committed({ sequence, epoch }: FeedPosition): void {
    this.#newest = { sequence, epoch };
    if (this.#streams.size === 0) return;
    this.#wanted = sequence;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
  }

  /** Reads the change log until nothing is new. */
  async #read(): Promise<void> {
    for (let wanted = -1; this.#position !== undefined && !this.#isClosed; ) {
      const { sequence } = this.#position;
      if (wanted === this.#wanted && sequence >= wanted) return;
      wanted = this.#wanted;
      try {
        const page = await this.#changes(this.#position);
        this.#deliver(page);
      } catch (error) {
        this.#failed(error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  #deliver(page: ChangesPage): void {
    // The last stream was closed meanwhile.
    if (this.#position === undefined) return;
    this.#position = page.position;
    const following = [...this.#streams].filter((stream) => stream.sequence !== Number.POSITIVE_INFINITY);
    if (page.isReset) {
      for (const stream of following) {
        stream.sequence = page.position.sequence;
        // Rights may have changed in what the log does not hold. A resync follows.
        this.#identifyAgain(stream);
      }
      return;
    }
    this.#sendChanges(following, page);
    for (const stream of following) stream.sequence = Math.max(stream.sequence, page.position.sequence);
  }

  /** One event for each commit and project. */
  #sendChanges(streams: readonly EventStream[], { position, changes }: ChangesPage): void {
    for (const stream of streams) if (isAffected(stream.account, changes)) this.#identifyAgain(stream);
    for (const group of grouped(changes)) {
      const [{ sequence }] = group;
      const id = idOf({ ...position, sequence });
      const texts = new Map<string, string>();
      for (const stream of streams) {
        const { rights } = stream;
        // A stream that has just been opened may be ahead of the others.
        if (stream.sequence !== Number.POSITIVE_INFINITY && sequence <= stream.sequence) continue;
        if (rights === undefined) stream.missed();
        else {
          const text = texts.get(rights.key) ?? changeText(group, rights, id);
          texts.set(rights.key, text);
          if (text !== '') stream.send(text);
        }
      }
    }
  }

  #lookIn(milliseconds: number): void {
    clearTimeout(this.#activityTimer);
    this.#activityTimer = setTimeout(() => void this.#look(), milliseconds).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#looksAgain = false;
    try {
      const query = this.#since === undefined ? '' : `since=${encodeURIComponent(this.#since)}`;
      const { presence, jobs, until } = await this.#ask<Activity>('/api/activity', query, { kind: 'admin' });
      this.#since = until;
      this.#presence = presence;
      this.#sendPresence(this.#streams);
      for (const job of jobs) {
        const text = eventText('job', job);
        for (const stream of this.#streams)
          if (job.actor === stream.account || stream.rights?.seesJob(job)) stream.send(text);
      }
    } catch (error) {
      this.#failed(error);
    }
    this.#isLooking = false;
    if (!this.#isClosed && this.#streams.size > 0) this.#lookIn(this.#looksAgain ? 0 : ACTIVITY_MS);
  }

  #sendPresence(streams: Iterable<EventStream>): void {
    const texts = new Map<string, string>();
    for (const stream of streams) {
      const { rights } = stream;
      if (rights === undefined) continue;
      const text =
        texts.get(rights.key) ??
        eventText(
          'presence',
          this.#presence.flatMap(({ content, ...variant }) =>
            rights.seesVariant({ ...variant, ...(content && { content }) }) ? [variant] : [],
          ),
        );
      texts.set(rights.key, text);
      if (text === stream.presence) continue;
      stream.presence = text;
      stream.send(text);
    }
  }

  #beat(): void {
    const text = eventText('heartbeat', {}, this.#id());
    for (const stream of this.#streams) {
      if (stream.endsAt <= performance.now()) this.#identifyAgain(stream);
      else if (stream.sequence !== Number.POSITIVE_INFINITY) stream.send(text);
    }
  }

  /** The session may have ended, or see other things. */
  #identifyAgain(stream: EventStream): void {
    stream.rights = undefined;
    stream.missed();
    this.#identifying = this.#identifying.then(async () => {
      if (stream.destroyed) return;
      try {
        const { rights, endsAt } = await this.#identify({ kind: 'session', hash: stream.session });
        stream.endsAt = endsAt;
        stream.rights = rights;
      } catch (error) {
        const isEnded = error instanceof ServiceError && error.errorName === 'unauthorized';
        if (!isEnded) this.#failed(error);
        stream.finish(isEnded ? 'session' : 'failed');
      }
    });
  }

  async #identify(principal: Session) {
    const session = await this.#ask<SessionBody>('/api/session', '', principal);
    return {
      account: session.person.id,
      rights: eventRights(session),
      endsAt: performance.now() + session.ends_in * 1000,
    };
  }

  #changes(after: FeedPosition | undefined): Promise<ChangesPage> {
    const query = after ? `epoch=${encodeURIComponent(after.epoch)}&sequence=${after.sequence}` : '';
    return this.#ask('/api/changes', query, { kind: 'admin' });
  }

  async #ask<T>(path: string, query: string, principal: Principal): Promise<T> {
    const core = { core: this.#core, ids: this.#services.ids };
    const answer = await readFromCore<T>(core, 'console', path, principal, query);
    this.#failure.end();
    return answer;
  }

  #id(): string {
    return this.#position ? idOf(this.#position) : '';
  }

  #failed(error: unknown): void {
    if (this.#failure.begin())
      this.#services.log.warn(
        { error },
        'The event streams of the console could not be served; trying again.',
      );
  }
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'The service is stopping.', { headers: { 'retry-after': '1' } });
}
