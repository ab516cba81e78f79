/** Changes that clients by mistake, and attackers on purpose, make to what would be right. */
import type { Random } from '../support/random/random.ts';

/** Text that parsers, databases and languages often handle wrongly. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\nSet-Cookie: a=b',
  '\ufeff',
  '\u202e',
  '\ud800',
  '\udfff\ud800',
  '😀'.repeat(50),
  'é',
  'e\u0301',
  'İ',
  'ß',
  '../../etc/passwd',
  '..\\..\\a',
  '%00',
  '%zz',
  '%c0%af',
  '%e2%82',
  "'; DROP TABLE item; --",
  '" OR "1"="1',
  '\\',
  '`$(id)`',
  '<script>alert(1)</script>',
  '<p>',
  '<p><b></i></p>',
  '<object type="application/service" data-type="item" data-rel="link" data-codename="x"></object>',
  '<figure data-image-id="x"><img src="javascript:alert(1)"></figure>',
  '&#0;&#x110000;&nope;',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '9007199254740993',
  '2147483648',
  '-1',
  '0x10',
  '٣',
  '2030-13-45T99:99:99Z',
  '+275760-09-13T00:00:00Z',
  '0000-00-00',
  'item_1',
  '00000000-0000-0000-0000-000000000000',
  'a,b,c',
  ',,,,',
  '[]',
  '{}',
  'a'.repeat(300),
  'a'.repeat(5000),
  'a b'.repeat(5000),
  '('.repeat(1000),
  '<p>'.repeat(1000),
];

const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
  [],
  {},
  [[]],
  [null],
  [{}],
  { '': '' },
  { id: null },
  { id: 'x', codename: 'y', external_id: 'z' },
];

export const hostileText = (random: Random): string =>
  random.chance(0.1) ? random.pick(HOSTILE_TEXTS) + random.pick(HOSTILE_TEXTS) : random.pick(HOSTILE_TEXTS);

const hostileValue = (random: Random, spare: readonly unknown[]): unknown => {
  const kind = random.int(0, 9);
  if (kind < 4) return hostileText(random);
  if (kind < 8) return structuredClone(random.pick(HOSTILE_VALUES));
  return spare.length > 0 ? structuredClone(random.pick(spare)) : null;
};

type Parent = Record<string, unknown> | unknown[];

function places(value: unknown, found: [Parent, string][] = []): [Parent, string][] {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value as Parent, key]);
    places((value as Record<string, unknown>)[key], found);
  }
  return found;
}

/** A JSON value with up to three changes of its structure. @param spare parts of other values */
export function mutateValue(random: Random, value: unknown, spare: readonly unknown[]): unknown {
  let root = structuredClone(value);
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0; times -= 1) {
    const all = places(root);
    if (all.length === 0 || random.chance(0.04)) {
      root = hostileValue(random, spare);
      continue;
    }
    const [parent, key] = random.pick(all);
    // Keys of arrays are numbers in text; that does for what is done here.
    const at = parent as Record<string, unknown>;
    switch (random.int(0, 9)) {
      case 0:
        if (Array.isArray(parent)) parent.splice(Number(key), 1);
        else delete at[key];
        break;
      case 1:
        if (Array.isArray(parent)) parent.push(structuredClone(at[key]));
        else at[hostileText(random)] = at[key];
        break;
      case 2:
        at[key] = [at[key]];
        break;
      case 3:
        at[key] = { value: at[key] };
        break;
      case 4:
        at[key] = structuredClone(random.pick(all)[0]);
        break;
      case 5:
        if (Array.isArray(at[key]))
          at[key] = Array.from(
            { length: random.pick([50, 500, 3000]) },
            () => (at[key] as unknown[])[0] ?? null,
          );
        else at[key] = hostileValue(random, spare);
        break;
      case 6:
        at[key] = nested(random.pick([8, 100, 2000]));
        break;
      default:
        at[key] = hostileValue(random, spare);
    }
  }
  return root;
}

function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let at = 0; at < levels; at += 1) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Text of a JSON body with a change that keeps it from being what was meant, and mostly from being JSON. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.int(0, bytes.length);
  const insert = (more: string | Buffer) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(more as string), bytes.subarray(at)]);
  switch (random.int(0, 9)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return insert(hostileText(random));
    case 2:
      return insert(Buffer.from([0xff, 0xfe, 0xc0, 0x80]));
    case 3:
      return Buffer.concat([Buffer.from('\ufeff'), bytes]);
    case 4:
      return Buffer.concat([bytes, random.chance(0.5) ? bytes : Buffer.from('x')]);
    case 5:
      return Buffer.from(bytes.toString('latin1').replaceAll('"', "'"), 'latin1');
    case 6:
      return Buffer.from(
        bytes.toString('latin1').replace('{', '{"a":1,"a":2,"__proto__":{"b":1},'),
        'latin1',
      );
    case 7:
      return Buffer.from(
        random.pick(['[', '{"a":', '[[', '{"a":[']).repeat(random.pick([10, 5000, 100_000])),
      );
    case 8:
      return Buffer.from(bytes.toString('utf8'), 'utf16le');
    default: {
      const copy = Buffer.from(bytes);
      for (let times = random.int(1, 5); times > 0 && copy.length > 0; times -= 1)
        copy[random.int(0, copy.length - 1)] = random.int(0, 255);
      return copy;
    }
  }
}

/** What no request line may hold: it would end it. Everything else is for the service to refuse. */
const lineBytes = (text: string) =>
  Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/[\r\n]/g, '');

/** A value in a URL: encoded, half encoded, or as it is. */
export function urlText(random: Random, text: string): string {
  switch (random.int(0, 3)) {
    case 0:
      return lineBytes(text).replaceAll(' ', '+');
    case 1:
      return lineBytes(text).replace(
        /[^!-~]/g,
        (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
      );
    default:
      return encodeURIComponent(Buffer.from(text).toString());
  }
}

export function mutateText(random: Random, text: string): string {
  const at = random.int(0, text.length);
  switch (random.int(0, 5)) {
    case 0:
      return hostileText(random);
    case 1:
      return text.slice(0, at) + hostileText(random) + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + random.int(1, 5));
    case 3:
      return text.repeat(random.int(2, 20));
    case 4:
      return text.toUpperCase();
    default:
      return text.slice(0, at) + String.fromCharCode(random.int(0, 0x2ff)) + text.slice(at + 1);
  }
}
