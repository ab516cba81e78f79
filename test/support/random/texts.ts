/** Small pools, so that values meet: equal keys for ties, filters that hit, strings that sort oddly. */
import type { Random } from './random.ts';

const LONG = 'lorem ipsum dolor sit amet '.repeat(12);

const TEXTS = [
  '',
  'a',
  'A',
  'b',
  'B',
  'aa',
  'ab',
  'a b',
  ' a',
  'a ',
  'Zebra',
  'zebra',
  'é',
  'e\u0301',
  'ß',
  'ſ',
  'Ω',
  '日本語',
  '\uffee',
  '😀',
  '👩‍👩‍👧',
  '𝒳',
  '"quoted"',
  "it's",
  'back\\slash',
  'a,b',
  'a, b',
  '100%',
  '50%25',
  'a+b',
  'a&b=c',
  '#hash?',
  '[x]',
  '<b>bold</b>',
  '<p><br></p>',
  '</script>',
  'line\nbreak',
  'tab\tstop',
  'cr\r\nlf',
  'bell\u0007',
  '\u0001',
  'del\u007f',
  'nbsp\u00a0x',
  'zero\u200bwidth',
  'bidi\u202eabc',
  '\u2028',
  '1',
  '10',
  '2',
  '-1',
  'null',
  'true',
  '!',
  '=',
  '~',
  '%_',
  '*',
  "'; DROP TABLE item; --",
  '2020-01-01T00:00:00Z',
  `${LONG}one`,
  `b${LONG}`,
  `c${'😀'.repeat(90)}`,
];

export function text(random: Random): string {
  return random.chance(0.15) ? random.pick(TEXTS) + random.pick(TEXTS) : random.pick(TEXTS);
}

/** For names of things: never blank, at most 50 characters. */
export function displayName(random: Random, word: string): string {
  const extra = random.pick(['', '', ' & Söhne', ' "x"', ' 😀', " d'or", ' <1>', ' A', ' a', ', b']);
  return `${word}${extra}`.slice(0, 50);
}

/** Inside rich text: no white space at the ends, where editors may drop it. */
export function inlineText(random: Random): string {
  return random.pick([
    'word',
    'two words',
    'R&D',
    'a < b > c',
    '"q"',
    "it's",
    'héllo',
    '😀',
    '日本',
    '100%',
    'A',
  ]);
}

export function number(random: Random): number {
  return random.pick([
    0, 1, -1, 2, 10, 9, 100, 8.5, -8.5, 0.1, 0.3, 99, 1234567.25, 0.0000001, -0.5, 3, 4294967296,
  ]);
}

export function dateTime(random: Random): string {
  return random.pick([
    '2018-12-31T23:59:59Z',
    '2019-01-01T00:00:00Z',
    '2019-01-01T00:00:01Z',
    '2019-06-15T12:30:00Z',
    '2020-02-29T08:00:00Z',
    '1969-07-20T20:17:40Z',
  ]);
}

export function slug(random: Random): string {
  return random.pick(['', 'home', 'about-us', 'a', 'b', 'news-2019', 'x-1', 'x-2']);
}
