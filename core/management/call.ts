import { ServiceError } from '../errors.ts';
import type { PathParameters } from '../http/router.ts';
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
  readonly parameters: PathParameters;
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

export function referenceAt({ parameters }: Call, name: string): Reference {
  return parameters.reference(name);
}

export function textAt({ parameters }: Call, name: string): string {
  return parameters.text(name);
}

/** @throws objectNotFound (105), for kinds of objects without a code of their own */
export function notFound(what: string): never {
  throw new ServiceError('objectNotFound', what);
}
