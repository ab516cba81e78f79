import { entityTag } from '../http/entity-tag.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { DeliveryRequest } from './delivery-context.ts';
import { documentDigest } from './document-digest.ts';
import type { DeliveryQuery } from './parse-query.ts';
import type { ShownDocument } from './project-document.ts';

/** To be raised when what stands around the documents of an answer is written differently. */
const FORM = 1;

/** What an answer about items is made of, beside the question. */
export interface Contents {
  readonly documents: readonly { readonly digest: string }[];
  readonly linked: readonly { readonly digest: string }[];
  readonly more?: boolean;
  readonly total?: number | null;
}

/** Documents that were compiled on the way, as what they would be if they had been stored. */
export async function withDigests(
  documents: readonly ShownDocument[],
  linked: readonly ShownDocument[],
): Promise<Pick<Contents, 'documents' | 'linked'>> {
  const digests = async (shown: readonly ShownDocument[]) => {
    const made = [];
    for (const { codename, body, components } of shown) {
      if (isTurnLong()) await nextTurn();
      made.push({ digest: documentDigest(`"${codename}":${body}`, components) });
    }
    return made;
  };
  return { documents: await digests(documents), linked: await digests(linked) };
}

/**
 * The strong tag of an answer, known before its bytes: what is published elsewhere, recompiled to the same
 * bytes, or read by another process or after a restart does not change it. Document numbers would not do, as
 * they are given again after a restart when the last ones were replaced.
 */
export function contentTag(
  request: DeliveryRequest,
  query: DeliveryQuery,
  { documents, linked, more = false, total = null }: Contents,
): string {
  return entityTag([
    FORM,
    ...questionOf(request, query),
    joined(documents),
    joined(linked),
    more ? 1 : 0,
    total ?? '',
  ]);
}

/** All are of one length, so nothing need stand between them. */
function joined(documents: Contents['documents']): string {
  let text = '';
  for (const { digest } of documents) text += digest;
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
  return entityTag([FORM, epoch, state, ...questionOf(request, query)]);
}

/** Unknown parameters are not part of the question. */
function questionOf({ channel, address, assetBase, continuation }: DeliveryRequest, query: DeliveryQuery) {
  return [channel, address, assetBase, continuation ?? '', JSON.stringify(query.parameters)];
}
