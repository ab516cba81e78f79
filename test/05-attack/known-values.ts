/** What is in a project: valid ids, codenames and whole values, collected from answers of the service. */
import type { Random } from '../support/random/random.ts';
import type { ApiCall, ApiCalls } from './api-calls.ts';

export interface Access {
  readonly url: string;
  readonly project: string;
  readonly adminToken: string;
  readonly previewKey: string;
  readonly managementKey: string;
  /** The cookie of a person who has signed in at the console. */
  readonly cookie: string;
  /** What calls may take away access to; the session is another one of the person. */
  readonly spare: {
    readonly project: string;
    readonly user: string;
    readonly key: string;
    readonly session: string;
  };
}

/** Calls that would invalidate the key, the session or the project. */
const ACCESS =
  /^\/console\/api\/sessions\/|^\/admin\/(token|users\/|projects\/\{project\}(\/(restore|secure-access|management-api|keys|management-keys)(\/|$)|$))/;

interface Entry {
  readonly id?: string;
  readonly codename?: string;
  readonly external_id?: string;
}

const MOST_PER_NOUN = 40;
const MOST_FRAGMENTS = 4000;
/** So many entries of a list are read one by one. */
const LOOKED_AT = 4;

export class KnownValues {
  readonly access: Access;
  /** Parts of answers, which are mostly valid parts of bodies. */
  readonly fragments: unknown[] = [];
  /** Answers of GET by documented path, for the calls that write the same thing. */
  readonly documents = new Map<string, unknown[]>();
  readonly #read = new Set<string>();
  readonly #entries = new Map<string, Entry[]>();
  readonly #files: (readonly [file: string, name: string])[] = [];

  private constructor(access: Access) {
    this.access = access;
  }

  static async of(access: Access, calls: ApiCalls): Promise<KnownValues> {
    const known = new KnownValues(access);
    const gets = calls.all.filter(({ method }) => method === 'GET');
    // Calls with the fewest parameters come first, because their answers fill the paths of the rest.
    const openings = (call: ApiCall) => call.path.split('{').length;
    for (const call of [...gets].sort((one, other) => openings(one) - openings(other))) {
      if (['docs', 'health', 'metrics', 'assets'].includes(call.surface)) continue;
      for (let at = 0; at < LOOKED_AT; at += 1) {
        const path = known.path(call, (noun, property) => known.#entries.get(noun)?.[at]?.[property]);
        if (path !== undefined && !known.#read.has(path)) await known.#readEntries(call, path);
      }
    }
    return known;
  }

  headers(call: Pick<ApiCall, 'surface' | 'method'>): [string, string][] {
    if (call.surface === 'console') {
      const write: [string, string][] = [
        ['X-Headwater-Console', '1'],
        ['Origin', this.access.url],
      ];
      return [['Cookie', this.access.cookie], ...(call.method === 'GET' ? [] : write)];
    }
    const { adminToken, previewKey, managementKey } = this.access;
    const key = { admin: adminToken, preview: previewKey, manage: managementKey }[call.surface];
    return key === undefined ? [] : [['Authorization', `Bearer ${key}`]];
  }

  /** @returns undefined where something the path needs is not known */
  path(
    call: ApiCall,
    value: (noun: string, property: keyof Entry) => string | undefined,
  ): string | undefined {
    let isWhole = true;
    const [file, name] = this.#files[0] ?? [];
    const isAccess = call.method !== 'GET' && ACCESS.test(call.path);
    const project = isAccess ? this.access.spare.project : this.access.project;
    const path = call.path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
      if (/^project(_id)?$/.test(parameter)) return project;
      if (parameter === 'user' && isAccess) return this.access.spare.user;
      if (parameter === 'key' && isAccess) return this.access.spare.key;
      if (parameter === 'session' && isAccess) return this.access.spare.session;
      if (parameter === 'file_id' && file) return file;
      if (parameter === 'file_name') return name ?? 'file.txt';
      if (parameter === 'slot') return 'preview-secondary';
      const before = call.path.slice(0, call.path.indexOf(`{${parameter}}`)).split('/');
      // `/types/{codename}`: its kind is the segment before it.
      const own = /^(?:(\w+?)_)?(id|codename|external_id)$/.exec(parameter);
      const noun = own?.[1] ?? (own ? nounOf(before.at(-2) ?? '') : parameter);
      const found = value(noun, (own?.[2] ?? 'id') as keyof Entry);
      if (found === undefined) isWhole = false;
      return encodeURIComponent(found ?? '');
    });
    return isWhole ? path : undefined;
  }

  /** A path of the call that exists, or as near to it as the project has it. */
  somePath(call: ApiCall, random: Random): string {
    return this.path(call, (noun, property) => this.name(random, noun, property))!;
  }

  knows(noun: string): boolean {
    return this.#entries.has(noun);
  }

  /** A name of something of that kind, or of anything. */
  name(random: Random, noun: string, property: keyof Entry): string {
    const own = (this.#entries.get(noun) ?? []).filter((entry) => entry[property] !== undefined);
    if (own.length > 0 && !random.chance(0.05)) return random.pick(own)[property]!;
    const others = [...this.#entries.values()].flat().filter((entry) => entry[property] !== undefined);
    return others.length > 0 ? random.pick(others)[property]! : random.guid();
  }

  async #readEntries(call: ApiCall, path: string): Promise<void> {
    this.#read.add(path);
    const headers = Object.fromEntries(this.headers(call));
    const answer = await fetch(`${this.access.url}${path}`, { headers });
    const text = await answer.text();
    if (answer.status !== 200) return;
    const document = JSON.parse(text) as unknown;
    this.documents.set(call.path, [...(this.documents.get(call.path) ?? []), document]);
    for (const [, file, name] of text.matchAll(/\/assets\/[0-9a-f-]{36}\/([^/"\\]+)\/([^/"\\?]+)/g))
      this.#files.push([file!, name!]);
    this.#gather(
      document,
      nounOf(
        path
          .split('/')
          .filter((part) => !part.includes('-'))
          .at(-1) ?? '',
      ),
    );
  }

  #gather(value: unknown, noun: string): void {
    if (typeof value !== 'object' || value === null) return;
    if (this.fragments.length < MOST_FRAGMENTS) this.fragments.push(value);
    if (Array.isArray(value)) {
      for (const member of value) this.#gather(member, noun);
      return;
    }
    const { id, codename, external_id } = value as Entry;
    const entries = this.#entries.get(noun) ?? [];
    if ((id ?? codename) !== undefined && entries.length < MOST_PER_NOUN) {
      const entry = { id, codename, external_id };
      this.#entries.set(
        noun,
        entries.concat(
          Object.fromEntries(Object.entries(entry).filter(([, name]) => typeof name === 'string')) as Entry,
        ),
      );
    }
    for (const [key, member] of Object.entries(value))
      this.#gather(member, key === 'system' ? noun : nounOf(key));
  }
}

/** `taxonomies` → `taxonomy`, `taxonomy_group` → `taxonomy`. */
export function nounOf(word: string): string {
  if (word === 'taxonomy_group' || word === 'taxonomy_groups') return 'taxonomy';
  if (word === 'sitemap_locations') return 'node';
  if (/^(fallback|default)_language$/.test(word)) return 'language';
  if (/^management[-_]keys$|^keys$/.test(word)) return 'key';
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}
