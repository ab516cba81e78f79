import { ServiceError } from '../errors.ts';
import type { PathParameters } from '../http/router.ts';
import type { ParsedBody } from '../json-body/parse-body.ts';
import type { Reference } from '../model/inputs.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** One parsed request to the management API: the argument of a handler. */
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
  /** Absolute URL of the project with the version of the request, without trailing slash. */
  readonly base: string;
  /** Absolute URL of the resource, without its query. */
  readonly url: string;
  /** Base URL of asset files, in front of `assetPath`. */
  readonly assetBase: string;
  /** Continuation token from the header or query. */
  readonly continuation: string | undefined;
  /** The `service` of `application/service`. */
  readonly mediaType: string;
  /** `sitemap_locations` may be absent when an item is changed. */
  readonly locationsOptional: boolean;
  /** Parses the body as JSON, once. Issues of operations then get their line and position. */
  body(): Promise<ParsedBody>;
  /** The unread body, for uploads. */
  readonly upload: AsyncIterable<Uint8Array> | undefined;
  /** Reads the project in one snapshot. */
  read<T>(work: (view: ProjectView) => Promise<T>): Promise<T>;
  /** Changes the project in one transaction, as the user of the key. */
  write<T>(work: (transaction: ProjectTransaction) => Promise<T>): Promise<T>;
}

export function referenceAt({ parameters }: Call, name: string): Reference {
  return parameters.reference(name);
}

export function textAt({ parameters }: Call, name: string): string {
  return parameters.text(name);
}

/** @throws objectNotFound (105), for objects without an error code of their own */
export function notFound(what: string): never {
  throw new ServiceError('objectNotFound', what);
}
