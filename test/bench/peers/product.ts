import type { Page } from 'playwright-core';

/** What is measured of every product, and of the bare server where it can. */
export interface Product {
  /** With its version. */
  readonly name: string;
  readonly port: number;
  /** Process whose CPU time is counted, with that of all it started. */
  readonly pid: number;
  readonly reads: Readonly<Record<Read, ReadRequest>>;
  /** Changes the summary of one item so that readers get it. */
  write(summary: string): Promise<void>;
  /** The published summary of that item. */
  written(): Promise<string>;
  /** Absent where one sign-in cannot serve several profiles. */
  readonly application?: WebApplication;
}

/** What editors use in a browser. */
export interface WebApplication {
  signIn(page: Page): Promise<void>;
  /** Address of the list of articles. */
  readonly list: string;
  /** Selector of a row of the list. */
  readonly row: string;
  /** Address of the form of 50 elements. */
  readonly form: string;
  /** Selector of the input of a text. */
  text(index: number): string;
  /** Selector of the editor of the rich text. */
  readonly body: string;
  /** Resolves when the page says that all is saved. */
  save(page: Page): Promise<void>;
  stored(): Promise<StoredForm>;
}

export interface StoredForm {
  text(index: number): string;
  /** Each paragraph of the rich text, as it is stored. */
  readonly paragraphs: readonly string[];
}

export type Read = 'hundred' | 'slug' | 'filtered' | 'deep';

export interface ReadRequest {
  readonly path: string;
  /** What the items of an answer say, in its order. */
  found(answer: unknown): Found;
}

/** A path with query, percent-encoded but for what the load client fills in. */
export const encoded = (path: string) =>
  path
    .split(/(\{[^}]*\})/)
    .map((part) => (part.startsWith('{') ? part : encodeURI(part)))
    .join('');

export interface Found {
  readonly items: readonly Item[];
  readonly total?: number | undefined;
}

export interface Item {
  readonly title: string;
  /** Names of the linked items; undefined where a link is no more than an id. */
  readonly author?: string | undefined;
  readonly category?: string | undefined;
}

/** An item in an answer of Directus or Payload: a link is the item it leads to, or the number of that. */
export interface LinkedRow {
  readonly title: string;
  readonly author: number | { readonly name: string };
  readonly category: number | { readonly name: string };
}

export function itemOf({ title, author, category }: LinkedRow): Item {
  const name = (link: LinkedRow['author']) => (typeof link === 'number' ? undefined : link.name);
  return { title, author: name(author), category: name(category) };
}

export interface Call {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** A call with a JSON body; @throws for any answer but a 2xx. */
export async function send<Answer>(url: string, { method = 'GET', token, body }: Call = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text.slice(0, 400)}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}
