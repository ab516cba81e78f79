import type { IncomingHttpHeaders } from 'node:http';
import type { CoreRequest } from '../../core/contract.ts';

/** Those that change an answer. Keys stay outside core: it is told who calls, not with what. */
const NAMES = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
  'user-agent',
  'x-continuation',
];

/** Makes the picker of the request headers that core may read, the vendor's own included. */
export function pickHeaders(
  vendors: readonly string[],
): (headers: IncomingHttpHeaders) => CoreRequest['headers'] {
  const names = [
    ...NAMES,
    ...vendors.map((vendor) => `x-${vendor.toLowerCase()}-wait-for-loading-new-content`),
  ];
  return (headers) => {
    const picked: Record<string, string> = {};
    for (const name of names) {
      const value = headers[name];
      if (typeof value === 'string') picked[name] = value;
    }
    return picked;
  };
}
