import { ServiceError } from '../errors.ts';
import type { ParsedBody } from '../json-body/parse-body.ts';
import type { Reference } from '../model/inputs.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** One request to the management API, taken apart; what a handler is given. */
export interface Call {
  readonly operations: Operations;
  /** Id of the project. */
  readonly project: string;
  /** Id of the user of the management key. */
  readonly actor: string | null;
  /** `:name` segments of the path, decoded. */
  readonly texts: Matched['texts'];
  /** `<name>` parts of the path. */
  readonly references: Matched['references'];
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Absolute URL of the project in the version and form it was called by, without a slash at the end. */
  readonly base: string;
  /** Absolute URL of the resource, without its query. */
  readonly address: string;
  /** Base URL of asset files: `{assetBase}/{project}/{file}/{name}`. */
  readonly assetBase: string;
  /** Token of the page asked for, by header or query. */
  readonly continuation: string | undefined;
  /** The `service` of `application/service`. */
  readonly mediaType: string;
  /** A change of an item need not say where it is in the sitemap. */
  readonly locationsOptional: boolean;
  /** Reads the body as JSON, once; findings of operations then get line and position in it. */
  body(): Promise<ParsedBody>;
  /** The body as it comes in, for uploads. */
  readonly upload: AsyncIterable<Uint8Array> | undefined;
  /** Reads the project, over one snapshot. */
  read<T>(work: (view: ProjectView) => Promise<T>): Promise<T>;
  /** Changes the project in one transaction, under the key's user. */
  write<T>(work: (transaction: ProjectTransaction) => Promise<T>): Promise<T>;
}

/** The reference that `<name>` stood for. */
export function referenceAt(call: Call, name: string): Reference {
  const reference = call.references[name];
  if (!reference) throw new Error(`The route has no part <${name}>.`);
  return reference;
}

/** The text that `:name` stood for. */
export function textAt(call: Call, name: string): string {
  const text = call.texts[name];
  if (text === undefined) throw new Error(`The route has no part :${name}.`);
  return text;
}

/** @throws objectNotFound (105), for kinds of objects without a code of their own */
export function notFound(what: string): never {
  throw new ServiceError('objectNotFound', what);
}

/** What stood in the path: `:name` parts as text, `<name>` parts as references. */
export interface Matched {
  readonly texts: Readonly<Record<string, string>>;
  readonly references: Readonly<Record<string, Reference>>;
}
