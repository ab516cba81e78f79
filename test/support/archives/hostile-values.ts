/** Values that an archive should not hold, or not there. */
import type { Random } from '../random/random.ts';

/** A placeholder for JSON that no JavaScript value gives; see `stringify`. */
const raw = (json: string) => `@@raw:${json}@@`;

const DEEP = 3000;

const VALUES: readonly unknown[] = [
  '<p onclick="alert(1)">a<script>alert(1)</script></p>',
  '<p><a href="javascript:alert(1)">a</a></p>',
  '<p><a href=" JaVaScRiPt:alert(1)">a</a></p>',
  '<p><a data-email-address="a&quot; onclick=&quot;b">a</a></p>',
  '<p><img src=x onerror=alert(1)></p>',
  '<object type="application/service" data-type="component" data-id="x"></object>',
  '<object data-type="item" data-id="00000000-0000-4000-8000-000000000000"></object>',
  '<p>a</p><!-- b --><p',
  'javascript:alert(1)',
  'x"><script>alert(1)</script>',
  "'; DROP TABLE item; --",
  '../../../../etc/passwd',
  'garbage',
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00a',
  '\u202e\u2028',
  '__proto__',
  'constructor',
  'A'.repeat(61),
  'b'.repeat(300),
  'c'.repeat(100_001),
  '2030-02-31T00:00:00.0000000Z',
  '2030-01-01T00:00:00Z',
  '9999-12-31T23:59:59.9999999Z',
  '0000-01-01T00:00:00.0000000Z',
  '00000000-0000-0000-0000-000000000000',
  '6F3A1C62-0000-4000-8000-000000000000',
  '6f3a1c62-0000-4000-8000-000000000000',
  '6f3a1c62-0000-5000-8000-000000000000',
  '{}',
  '[]',
  '[{"id":"6f3a1c62-0000-4000-8000-000000000000"}]',
  'null',
  '{"html":"<p onclick>a</p>","components":[]}',
  null,
  true,
  false,
  0,
  1,
  -1,
  2,
  1.5,
  255,
  256,
  2 ** 53,
  1e21,
  raw('1e999'),
  raw('-0'),
  raw('9007199254740993'),
  raw(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
  raw(`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  raw('{"__proto__":{"id":"x"}}'),
  raw('{"id":"a","id":"b"}'),
  [],
  {},
  [[]],
  [null],
  [{}],
  { id: null },
  { id: '6f3a1c62-0000-4000-8000-000000000000' },
  { html: 'x', components: null },
  { html: '<p>a</p>', components: [{}] },
  { value: {}, mode: 'custom' },
  { length: 2 ** 31 },
  { toString: null, valueOf: null },
];

export function hostileValue(random: Random): unknown {
  return structuredClone(random.pick(VALUES));
}

export function stringify(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replace(/"@@raw:(.*?)@@"/g, (_, json: string) => JSON.parse(`"${json}"`));
}
