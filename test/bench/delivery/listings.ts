/** The listings that are measured, and a check of one before that. */
import type { Service } from '../service.ts';

/** The first row of the table: a page of 20 of one type, one filter, ordered by an element, depth 1. */
export const FIRST_ROW = {
  'system.type': 'article',
  'elements.category[contains]': 'daily',
  order: 'elements.rank[desc]',
  limit: '20',
  depth: '1',
};

export function queryOf(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(parameters).toString();
}

export interface Listing {
  readonly path: string;
  readonly body: Buffer;
  /** What is between the brackets of `items`. */
  readonly itemsPart: Buffer;
  readonly items: readonly unknown[];
  readonly linked: number;
  readonly total: number | undefined;
}

interface ListingBody {
  readonly items: readonly unknown[];
  readonly modular_content: Readonly<Record<string, unknown>>;
  readonly pagination: { readonly total_count?: number };
}

/** Reads a listing once, and refuses one that is not what is to be measured. */
export async function fetchListing(
  service: Service,
  parameters: Readonly<Record<string, string>>,
  items: number,
): Promise<Listing> {
  const path = service.itemsPath(queryOf(parameters));
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    headers: { 'accept-encoding': 'identity' },
  });
  const body = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200)
    throw new Error(`${path} answered ${answer.status}: ${body.toString('utf8', 0, 600)}`);
  const parsed = JSON.parse(body.toString()) as ListingBody;
  if (parsed.items.length !== items)
    throw new Error(`${path} holds ${parsed.items.length} items instead of ${items}.`);
  const itemsPart = body.subarray(body.indexOf('[') + 1, body.indexOf('],"modular_content":'));
  return {
    path,
    body,
    itemsPart,
    items: parsed.items,
    linked: Object.keys(parsed.modular_content).length,
    total: parsed.pagination.total_count,
  };
}

export const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
