/** Requests that are nearly right, made from the documented calls and what the project holds; each from a seed of its own. */
import type { Random } from '../support/random/random.ts';
import type { ApiCall, ApiCalls } from './api-calls.ts';
import type { KnownValues } from './known-values.ts';
import { hostileText, mutateBytes, mutateText, mutateValue, urlText } from './mutate.ts';
import type { RawRequest } from './raw-call.ts';
import { sampleBody } from './sample-value.ts';

export interface MutatedRequest extends RawRequest {
  readonly call: ApiCall;
  /** Nothing that decides which call it is has been changed. */
  readonly isThisCall: boolean;
}

type Make = (random: Random, calls: ApiCalls, known: KnownValues) => MutatedRequest;

const JSON_TYPE = 'application/json';

/** A body of any call that takes one: of a changed structure, or of changed bytes, or as documented. */
const body: Make = (random, calls, known) => {
  const call = random.pick(calls.all.filter(({ bodies }) => Object.keys(bodies).length > 0));
  const path = known.somePath(call, random);
  const [type = JSON_TYPE] = Object.keys(call.bodies);
  if (type !== JSON_TYPE) {
    const bytes = Buffer.from(hostileText(random).repeat(random.int(1, 50)));
    return request(call, known, path, {
      headers: [
        ['Content-Type', random.pick([type.replace('*/*', 'image/png'), 'image/svg+xml', 'text/html', 'x'])],
      ],
      body: random.chance(0.5) ? bytes : mutateBytes(random, bytes),
    });
  }
  const valid = sampleBody(random, calls, known, call);
  const chance = random.int(0, 9);
  const changed = chance === 0 ? valid : mutateValue(random, valid, known.fragments);
  const bytes = Buffer.from(jsonOf(changed));
  return request(call, known, path, {
    headers: [['Content-Type', JSON_TYPE]],
    body: chance < 3 && chance > 0 ? mutateBytes(random, bytes) : bytes,
  });
};

const MOST_VALUES = 200_000;

/**
 * Mutations nest values deeper than `JSON.stringify` can write, and one value in many places of itself, which took minutes;
 * brackets as deep take their place.
 */
function jsonOf(value: unknown): string {
  let values = 0;
  const counted = (_: string, inner: unknown) => {
    values += 1;
    if (values > MOST_VALUES) throw new RangeError('There are too many values.');
    return inner;
  };
  try {
    return JSON.stringify(value, counted) ?? 'null';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return '['.repeat(20_000) + ']'.repeat(20_000);
  }
}

/** The query of any call that reads. */
const query: Make = (random, calls, known) => {
  const reads = calls.all.filter(
    (call) => call.method === 'GET' && call.parameters.some((one) => one.in === 'query'),
  );
  const call = random.pick(random.chance(0.2) ? reads.filter(({ surface }) => surface === 'assets') : reads);
  const path = known.somePath(call, random);
  const pairs = random.times(1, random.chance(0.05) ? 300 : 5, () => parameter(random, call, known));
  const text = random.chance(0.1)
    ? mutateText(random, pairs.join('&'))
    : pairs.join(random.chance(0.05) ? '&&' : '&');
  return request(call, known, `${path}?${urlSafe(text)}`, {});
};

function parameter(random: Random, call: ApiCall, known: KnownValues): string {
  const one = random.pick(call.parameters.filter(({ in: place }) => place === 'query'));
  const example = Object.values(one.examples ?? {}).map(({ value }) => value);
  const given = example.length > 0 ? random.pick(example) : one.example;
  let name = one.name;
  let value = String(
    given ?? random.pick(['1', '10', 'true', 'crop', 'png', known.name(random, 'item', 'codename')]),
  );
  // Filters: the parameter is a placeholder for any number of filters.
  if (typeof given === 'object' && given !== null) {
    [name, value] = Object.entries(given)[0] as [string, string];
    if (random.chance(0.5))
      name = name.replace(/elements\.\w+/, () => `elements.${known.name(random, 'element', 'codename')}`);
    if (random.chance(0.5)) value = known.name(random, 'item', 'codename');
  }
  switch (random.int(0, 7)) {
    case 0:
      return `${urlText(random, mutateText(random, name))}=${urlText(random, value)}`;
    case 1:
      return `${name}[${urlText(random, hostileText(random))}]=${urlText(random, value)}`;
    case 2:
      return name;
    case 3:
    case 4:
    case 5:
      return `${name}=${urlText(random, mutateText(random, value))}`;
    default:
      return `${name}=${urlText(random, value)}`;
  }
}

/** Names that the gateway, its plugins and core read, or that frame a request. */
const HEADERS = [
  'Authorization',
  'Accept',
  'Accept-Encoding',
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Transfer-Encoding',
  'Connection',
  'Expect',
  'Upgrade',
  'Host',
  'Origin',
  'Access-Control-Request-Method',
  'Access-Control-Request-Headers',
  'If-None-Match',
  'If-Match',
  'If-Modified-Since',
  'If-Range',
  'Range',
  'Cookie',
  'Via',
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'X-Real-IP',
  'X-Client-IP',
  'True-Client-IP',
  'X-Cluster-Client-IP',
  'CDN-Loop',
  'X-Request-ID',
  'X-Continuation',
  'X-SVC-Wait-For-Loading-New-Content',
  'X-SVC-SDKID',
  'User-Agent',
  'Cache-Control',
  'TE',
] as const;

const HEADER_VALUES: readonly string[] = [
  'Bearer',
  'Bearer ',
  'Bearer  a',
  'Bearer a b',
  'bearer x',
  'Basic Og==',
  `Bearer ${'a'.repeat(9000)}`,
  '*',
  'W/"a"',
  '"a", W/"b", *',
  '"',
  `"${'a'.repeat(6000)}"`,
  '"a",'.repeat(4000),
  'bytes=0-0',
  'bytes=-1',
  'bytes=5-1',
  'bytes=0-,0-,0-,0-',
  'bytes=99999999999999999999-',
  'bytes=a-b',
  'gzip;q=0, br;q=1.5, *;q=x',
  'identity;q=0, *;q=0',
  `gzip${',gzip'.repeat(4000)}`,
  'application/json; charset=utf-16',
  'application/json;'.repeat(500),
  'text/plain',
  'multipart/form-data; boundary=',
  'image/webp;q=0.1,*/*;q=1',
  'chunked',
  'chunked, chunked',
  'gzip, chunked',
  '100-continue',
  'h2c',
  'websocket',
  'close',
  'keep-alive, Upgrade, Authorization',
  '0',
  '00',
  '+5',
  '5, 5',
  '99999999999999999999',
  '127.0.0.1',
  'for=127.0.0.1;proto=https;host=x, for="[::1]"',
  '127.0.0.1, '.repeat(1000),
  '[::1',
  'a:b:c',
  'evil.example',
  'localhost:99999',
  'Sun, 06 Nov 1994 08:49:37 GMT',
  'true',
  'null',
];

const header: Make = (random, calls, known) => {
  const call = random.pick(
    calls.all.filter(({ method, path }) => method === 'GET' || path.includes('/items/{')),
  );
  const path = known.somePath(call, random);
  const isJson = call.bodies[JSON_TYPE] !== undefined;
  const valid: [string, string][] = [
    ...(random.chance(0.8) ? known.headers(call) : []),
    ...(isJson ? [['Content-Type', JSON_TYPE] as [string, string]] : []),
  ];
  const changed = random.times(1, 4, (): [string, string] => {
    const name = random.pick(HEADERS);
    const value = random.chance(0.7) ? random.pick(HEADER_VALUES) : headerText(random, hostileText(random));
    const odd = random.chance(0.06);
    return [
      odd ? headerText(random, mutateText(random, name)) : name,
      random.chance(0.1) ? mutateText(random, value) : value,
    ];
  });
  const many = random.chance(0.03)
    ? Array.from({ length: random.pick([90, 150, 1500]) }, (_, at): [string, string] => [`X-${at}`, 'a'])
    : [];
  return {
    call,
    isThisCall: true,
    method: call.method,
    target: path,
    headers: [...valid, ...changed, ...many].map(([name, value]) => [latin(name), latin(value)] as const),
    ...(isJson && { body: Buffer.from('{}') }),
  };
};

/** A value that smuggles a line is allowed. */
const headerText = (random: Random, text: string) =>
  random.chance(0.1) ? text : text.replace(/[\r\n]/g, ' ');
const latin = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'TRACE',
  'PURGE',
  'PROPFIND',
];

/** A path with a changed part, and now and then a changed method. */
const path: Make = (random, calls, known) => {
  const call = random.pick(calls.all.filter(({ method }) => method === 'GET'));
  const parts = known.somePath(call, random).split('/');
  for (let times = random.int(1, 2); times > 0; times -= 1) {
    const at = random.int(Math.min(1, parts.length - 1), parts.length - 1);
    const part = parts[at] ?? '';
    switch (random.int(0, 7)) {
      case 0:
        parts.splice(at, 1);
        break;
      case 1:
        parts.splice(at, 0, random.pick(['', '.', '..', '%2e%2e', '%2f', '..%5c', '%00', ';a=b', part]));
        break;
      case 2:
        parts[at] = part.toUpperCase();
        break;
      case 3:
        parts[at] =
          `${part}${random.pick(['/', '//', '%', '%2', '?', '?&=', '#', ';', '.json', '%20', '\\'])}`;
        break;
      default:
        parts[at] = urlText(random, mutateText(random, part));
    }
  }
  const whole = urlSafe(parts.join('/')) || '/';
  const target = random.chance(0.03) ? `http://localhost${whole}` : whole;
  const method = random.chance(0.7) ? 'GET' : random.pick(METHODS);
  const isAsked = !['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) || call.surface !== 'admin';
  return {
    call,
    isThisCall: false,
    method: isAsked ? method : 'GET',
    target,
    headers: known.headers(call),
  };
};

/** A request target cannot hold a blank or the end of a line; other bytes may be sent. */
const urlSafe = (text: string) => latin(text).replace(/[\s\0]/g, '%20');

function request(
  call: ApiCall,
  known: KnownValues,
  target: string,
  more: Partial<RawRequest>,
): MutatedRequest {
  return {
    call,
    isThisCall: true,
    method: call.method,
    target,
    ...more,
    headers: [...known.headers(call), ...(more.headers ?? [])],
  };
}

/** Those that write come last. */
export const MUTATIONS = { query, header, path, body } as const satisfies Readonly<Record<string, Make>>;
export type Mutation = keyof typeof MUTATIONS;
