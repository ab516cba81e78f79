import type { DeliveryQuery, Parameter } from './parse-query.ts';

export interface Pagination {
  readonly skip: number;
  readonly limit: number;
  readonly count: number;
  readonly total_count?: number;
  readonly next_page: string;
}

/** The pagination object (spec 2.5); an unset skip or limit shows as 0. */
export function pagination(
  query: DeliveryQuery,
  address: string,
  page: { readonly count: number; readonly more: boolean; readonly total: number | null },
): Pagination {
  return {
    skip: query.skip,
    limit: query.limit ?? 0,
    count: page.count,
    ...(page.total === null ? {} : { total_count: page.total }),
    next_page: page.more ? nextPage(query, address, page.count) : '',
  };
}

/**
 * The request again, further on: its parameters in their order, `skip` replaced where it is or added as
 * the last one. Percent-encoding in lower case, as the original service writes it.
 */
function nextPage({ parameters, skip }: DeliveryQuery, address: string, count: number): string {
  const next = { name: 'skip', value: String(skip + count) };
  const kept = parameters.map((parameter) => (parameter.name === 'skip' ? next : parameter));
  if (!kept.includes(next)) kept.push(next);
  return `${address}?${kept.map(format).join('&')}`;
}

function format({ name, value }: Parameter): string {
  return value === null ? encode(name) : `${encode(name)}=${encode(value)}`;
}

function encode(text: string): string {
  const encoded = encodeURIComponent(text);
  // Most names and many values have nothing to encode.
  if (encoded.length === text.length) return text;
  return encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}
