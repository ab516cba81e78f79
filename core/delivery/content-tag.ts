import { entityTag } from '../http/entity-tag.ts';
import type { DeliveryRequest } from './delivery-context.ts';
import type { Page } from './page.ts';
import type { DeliveryQuery, Parameter } from './parse-query.ts';
import type { ReadyDocument } from './ready-document.ts';

/** Version of what surrounds the documents of an answer. */
const FORMAT = 1;

/**
 * The strong tag of an answer, known before its bytes: what is published elsewhere, recompiled to the same
 * bytes, or read by another process or after a restart does not change it. Document numbers cannot be used, as
 * they are given again after a restart when the last ones were replaced.
 */
export function contentTag(
  request: DeliveryRequest,
  query: DeliveryQuery,
  { documents, linked, more, total }: Page,
): string {
  return entityTag([
    FORMAT,
    ...queryParts(request, query),
    joined(documents),
    joined(linked),
    more ? 1 : 0,
    total ?? '',
  ]);
}

/** Without separators: all are of one length. */
function joined(documents: readonly ReadyDocument[]): string {
  let text = '';
  for (const document of documents) text += document.digest;
  return text;
}

/** Of a streamed answer, which is not read before it is sent: another one whenever anything changed in the project. */
export function streamTag(
  epoch: string,
  { sequence, pending }: { readonly sequence: number; readonly pending: boolean },
  request: DeliveryRequest,
  query: DeliveryQuery,
): string {
  const state = pending ? `${sequence} pending` : `${sequence}`;
  return entityTag([FORMAT, epoch, state, ...queryParts(request, query)]);
}

/** Unknown parameters are left out. */
function queryParts({ channel, address, assetBase, continuation }: DeliveryRequest, query: DeliveryQuery) {
  return [channel, address, assetBase, continuation ?? '', textOf(query.parameters)];
}

/** The parameters of known queries, written once: 6 µs. */
const texts = new WeakMap<readonly Parameter[], string>();

function textOf(parameters: readonly Parameter[]): string {
  let text = texts.get(parameters);
  if (text === undefined) {
    text = JSON.stringify(parameters);
    texts.set(parameters, text);
  }
  return text;
}
