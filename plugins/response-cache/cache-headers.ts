import type { Encoding } from '../http/accept-encoding.ts';

/** How current an answer is. */
export interface Status {
  readonly isStale: boolean;
  /** Whole seconds since the answer was last known to be current. */
  readonly age: number;
  /** RFC 9211. */
  readonly cacheStatus: string;
}

export const FRESH_STATUS: Status = { isStale: false, age: 0, cacheStatus: 'headwater; hit' };

interface Parts {
  readonly core: Readonly<Record<string, string>>;
  readonly etag: string;
  readonly encoding: Encoding;
  /** Id of the project. */
  readonly project: string;
  readonly tags: readonly string[];
}

export interface HeaderOptions {
  readonly isPublic: boolean;
  readonly browserSeconds: number;
  readonly sharedSeconds: number;
  readonly surrogateKeys: boolean;
  readonly vendor: string;
}

/** Headers of core that are written here instead. */
const REPLACED: ReadonlySet<string> = new Set([
  'etag',
  'x-stale-content',
  'cache-control',
  'content-length',
  'vary',
]);

/** Longest `Surrogate-Key`; CDNs accept 16 kB. */
const LONGEST_SURROGATES = 8192;
/** Characters of a project's id; where two ids begin alike, a purge covers both projects. */
const SURROGATE_START = 8;

/** Writes the header blocks of one kind of entries: names and values in turn. */
export class HeaderWriter {
  readonly #options: HeaderOptions;
  readonly #cacheControl: string;
  readonly #sequence: string;

  constructor(options: HeaderOptions) {
    this.#options = options;
    this.#cacheControl = cacheControl(options);
    this.#sequence = `X-${options.vendor}-Content-Sequence`;
  }

  full(parts: Parts, length: number, status: Status, sequence: number): string[] {
    const block: string[] = [];
    for (const name in parts.core) if (!REPLACED.has(name)) block.push(name, parts.core[name]!);
    if (parts.encoding !== 'identity') block.push('content-encoding', parts.encoding);
    block.push('content-length', String(length));
    if (this.#options.surrogateKeys) block.push('surrogate-key', surrogates(parts));
    block.push(...this.unchanged(parts, status, sequence));
    return block;
  }

  /** What a 304 repeats (RFC 9110, 15.4.5), and what a whole answer ends with. */
  unchanged(parts: Parts, status: Status, sequence: number): string[] {
    const { vary } = parts.core;
    const block = ['vary', vary === undefined ? 'Accept-Encoding' : `Accept-Encoding, ${vary}`];
    if (parts.etag !== '') block.push('etag', parts.etag);
    block.push(...this.status(status), this.#sequence, String(sequence));
    return block;
  }

  status({ isStale, age, cacheStatus }: Status): string[] {
    const block = [
      ...['cache-control', isStale ? 'no-store' : this.#cacheControl],
      ...['age', String(age), 'cache-status', cacheStatus, 'x-stale-content', isStale ? '1' : '0'],
    ];
    if (isStale) block.push(`X-${this.#options.vendor}-Stale-Content`, '1');
    return block;
  }
}

/**
 * A fresh hit has just been checked, so its age is 0 and these times count from now. Stale answers are `no-store`:
 * cached by a proxy they would become older than `staleMilliseconds`.
 */
function cacheControl({ isPublic, browserSeconds, sharedSeconds }: HeaderOptions): string {
  if (!isPublic) return `private, max-age=${browserSeconds}, must-revalidate`;
  return `public, max-age=${browserSeconds}, s-maxage=${sharedSeconds}`;
}

/** Tags are unique in a project, and a CDN may serve many projects: each begins with the start of the id. */
function surrogates({ project, tags }: Parts): string {
  const start = `${project.slice(0, SURROGATE_START)}/`;
  const text = tags.map((tag) => start + encodeURI(tag)).join(' ');
  return text.length <= LONGEST_SURROGATES ? text : `${start}*`;
}
