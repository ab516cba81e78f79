/** Every parser of caller input takes linear time. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { sniffType } from '../../core/assets/sniff-type.ts';
import { parseQuery, splitQuery } from '../../core/delivery/parse-query.ts';
import { readRange } from '../../core/files/byte-range.ts';
import { attachment } from '../../core/files/disposition.ts';
import { matches } from '../../core/http/entity-tag.ts';
import { splitPath } from '../../core/http/split-path.ts';
import { acceptsWebp } from '../../core/images/accepts-webp.ts';
import { HeaderReader } from '../../core/images/header/header-reader.ts';
import { imageQueryKey } from '../../core/images/image-query-key.ts';
import { locateIssues } from '../../core/json-body/locate-issues.ts';
import { parseBody } from '../../core/json-body/parse-body.ts';
import { countText, readDateTime, readNumber, toUrlSlug } from '../../core/model/plain-values.ts';
import { componentCodename } from '../../core/model/rich-text/component-codename.ts';
import { parseRichText, writeRichText } from '../../core/model/rich-text/parse-rich-text.ts';
import { richTextReferences } from '../../core/model/rich-text/references.ts';
import { toDelivery } from '../../core/model/rich-text/to-delivery.ts';
import { toManagement } from '../../core/model/rich-text/to-management.ts';
import { readArchive } from '../../core/transfer/read-archive.ts';
import { requestResolver } from '../../gateway/request/resolve-request.ts';
import type { SurfaceAddresses } from '../../gateway/request/surfaces.ts';
import { plainTags } from '../../plugins/compression/entity-tags.ts';
import { SURFACES } from '../../plugins/contract.ts';
import { ofOtherVendors } from '../../plugins/cors/headers.ts';
import { encodingChooser } from '../../plugins/http/accept-encoding.ts';
import { bearerToken } from '../../plugins/http/bearer.ts';
import { cacheDirectives } from '../../plugins/http/cache-directives.ts';
import { requestPath } from '../../plugins/http/request-path.ts';
import { tarOf } from '../support/archives/tar-of.ts';
import { hasAllTests } from '../support/long-form.ts';
import { growthOf, isLinear, MOST_PER_DOUBLING } from '../support/measure/time-per-doubling.ts';

/** The longest accepted input of each kind, or enough to make a parser slow that is not linear. */
const TEXT = 100_000;
const URL_BYTES = 65_536;
const HEADER_BYTES = 32_768;
const BODY = 524_288;
const FILE = 262_144;

/** `start`, then `unit` repeated up to a size, then `end`; `#` in a unit becomes its number. */
type Shape = readonly [start: string, unit: string, end?: string];

function text([start, unit, end = '']: Shape, size: number): string {
  const count = Math.floor((size - start.length - end.length) / unit.replace('#', '00000').length);
  const units = unit.includes('#')
    ? Array.from({ length: count }, (_, at) => unit.replaceAll('#', String(at).padStart(5, '0'))).join('')
    : unit.repeat(count);
  return start + units + end;
}

function shapesAreLinear(shapes: readonly Shape[], size: number, work: (text: string) => unknown): void {
  for (const shape of shapes) {
    const [start, unit, end = ''] = shape;
    isLinearIn(`${start}${unit}…${end}`, (of) => text(shape, of), work, size);
  }
}

function isLinearIn<Input>(
  what: string,
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): void {
  it(what.length > 80 ? `${what.slice(0, 80)}…` : what, async () => {
    const growth = await growthOf(inputOf, work, size);
    const { half, whole } = growth;
    expect(isLinear(growth), `${half.toFixed(2)} ms become ${whole.toFixed(2)}`).to.equal(true);
  });
}

const ID = '11111111-1111-4111-8111-1111111#';
const LINK = `<p><a data-item-id="${ID}" href="">x</a></p>`;
const ITEM = `<object data-type="item" data-id="${ID}"></object>`;
const COMPONENT = `<object data-type="component" data-id="${ID}"></object>`;
const FIGURE = `<figure data-asset-id="${ID}"><img src="#" data-asset-id="${ID}"></figure>`;

const RICH_TEXT: readonly Shape[] = [
  ['', '<x>'],
  ['', '<x>', '</x>'],
  ['', '<x></x>'],
  ['', '<x#>'],
  ['', '<x#></x#>'],
  ['<p>', '<b></i>'],
  ['<p>', '<em></i>'],
  ['<p>', '<em>'],
  ['<p>', '<em>x</em>'],
  ['<p>', '</em>'],
  ['', '</p>'],
  ['', '</br>'],
  ['', '<p>'],
  ['', '<p>x</p>'],
  ['', '<h1>'],
  ['', '<form>'],
  ['', '<option>'],
  ['', '<svg>'],
  ['<svg>', '<desc></altglyph>'],
  ['<p>', '<a href="/x">'],
  ['<p>', '<a href="/x">y</a>'],
  ['<p>', '<a <a '],
  ['<p ', 'a#="" ', '>'],
  ['<p ', 'a=1 ', '>'],
  ['<p ', '"', '>'],
  ['<p ', '='],
  ['<p title="', 'x', '">x</p>'],
  ['<p title="', '&amp;', '">x</p>'],
  ['<p title="', '&'],
  ['<', 'x', '>'],
  ['<', 'x'],
  ['', '<'],
  ['', '>'],
  ['', '</'],
  ['', '<!--'],
  ['<p>', '<!-- x -->'],
  ['<p>', '<!-- -'],
  ['', '<![CDATA['],
  ['', '<![CDATA[]]>'],
  ['', '<?x '],
  ['', '<?x?>'],
  ['', '<!x>'],
  ['<p>', '&amp;'],
  ['<p>', '&'],
  ['<p>', '&#38;'],
  ['<p>&#', '1'],
  ['<p>', '&notit;'],
  ['<p>&', 'a'],
  ['', ' '],
  ['', ' ', 'x'],
  ['<p>', '\r\n'],
  ['<p>', 'x'],
  ['<p>', '\u00a0'],
  ['', '<table><tr><td>'],
  ['<table>', '<tr>'],
  ['<table>', '<tr><td>x</td></tr>', '</table>'],
  ['<table>', '<tbody><tr>'],
  ['', '<ul><li>'],
  ['<ul>', '<li>'],
  ['<ul>', '<li>x</li>', '</ul>'],
  ['', FIGURE],
  ['', `<figure data-asset-id="${ID}">`],
  ['', '<figure>'],
  ['<p>', '<img>'],
  ['', ITEM],
  ['', COMPONENT],
  ['', `<object data-type="item" data-id="${ID}">`],
  ['', '<object>'],
  ['', LINK],
  ['', '<script>'],
  ['<style>', '</styl'],
  ['<title>', '&lt;</titl'],
  ['<textarea>', '<'],
];

/** Texts in place of canonical ones in archives. */
const STORED: readonly Shape[] = [
  ...RICH_TEXT,
  ['', '<a b="'],
  ['<a', ' b=""'],
  ['', '<a b="" '],
  ['', '<object data-id="x">'],
  ['', '<figure data-asset-id="missing">'],
  ['', '<object data-type="item" data-id="missing">'],
  ['', '<br/>'],
];

const lookup = {
  mediaType: 'service',
  itemCodename: (id: string) => (id === 'missing' ? undefined : 'codename'),
  componentCodename,
  asset: (id: string) => (id === 'missing' ? undefined : { url: '/x', description: null }),
};

describe('the time a parser takes grows with its input', () => {
  describe(`rich text (at most ${MOST_PER_DOUBLING} times for twice the size)`, () => {
    shapesAreLinear(RICH_TEXT, TEXT, (html) => {
      const parsed = parseRichText(html);
      return writeRichText(parsed, () => ID);
    });
  });

  describe('output of stored rich text', () => {
    shapesAreLinear(STORED, TEXT, async (html) => {
      await toDelivery(html, lookup);
      toManagement(html, 'service');
      await richTextReferences(html);
    });
  });

  describe('JSON bodies', () => {
    const JSON_BODIES: readonly Shape[] = [
      ['"', 'x', '"'],
      ['"', '\\u0041', '"'],
      ['"', '\\"', '"'],
      ['"', '\\\\', '"'],
      ['"', '\\"'],
      ['"', '\\\\'],
      ['"', '\ud83d\ude00', '"'],
      ['"', 'x'],
      ['["\\ud83d', 'x', '"]'],
      ['[', '"\\ud83d\\ude00",', '1]'],
      ['[', '1,', '1]'],
      ['[', '"x",', '1]'],
      ['[', '{},', '1]'],
      ['[', '[],', '1]'],
      ['[', '{"a":1},', '1]'],
      ['{', '"a#":1,', '"b":1}'],
      ['{', '"#":1,', '"b":1}'],
      ['{', '"\\u0061#":1,', '"b":1}'],
      ['{"a":1,', '"a#":1,', '"a":1}'],
      ['', '['],
      ['', '{"a":'],
      ['', '1'],
      ['-0.', '1', 'e'],
      ['1', '0', 'x'],
      ['[', '1,', '}'],
      ['[', '\n', '1]'],
      ['[', '\n', 'x]'],
      // Lists that end wrongly, as the one above.
      ...(hasAllTests
        ? ([
            ['[', '1,'],
            ['[', '\n1,', 'x]'],
          ] as const)
        : []),
      ['[', ' ', '1]'],
      ['', ' '],
      ['', '\n', 'x'],
      ['', '/**/'],
      ['', '//\n'],
      ['', '\u0000'],
      ['', '"'],
      ['', ','],
      ['', ':'],
      ['', 'true'],
    ];
    shapesAreLinear(JSON_BODIES, BODY, (body) => parseBody(chunksOf(body), {}));
  });

  describe('positions of findings in JSON bodies', () => {
    const findings = Array.from({ length: 101 }, (_, at) => ({ message: 'x', path: `a[${at * 997}].b.c` }));
    shapesAreLinear(
      [
        ['{"a":[', '{"b":{"c":1}},', '1]}'],
        ['{"a":[', '\n{"b":1},', '1]}'],
        ['{"a":[', '1,\n', '1]}'],
        ['{"a":[', '\n', '1]}'],
        ['{', '"a#":{"b":1},', '"a":[]}'],
        ['{"a":"', 'x', '"}'],
      ],
      BODY,
      (body) => locateIssues(body, findings),
    );
  });

  describe('queries of delivery', () => {
    const QUERIES: readonly Shape[] = [
      ['', 'a&'],
      ['', '&'],
      ['', '='],
      ['', 'a=1&'],
      ['', '%41'],
      ['a=', '%41'],
      ['a=', '+'],
      ['a=', '%'],
      ['elements=', 'a,'],
      ['elements=', ','],
      ['elements=', '%20'],
      ['elements.a[in]=', '1,'],
      ['elements.a[all]=', '1,'],
      ['elements.a[range]=', '1,'],
      ['', 'elements.a#[neq]=1&'],
      ['', 'system.type=a&'],
      ['', '['],
      ['elements.', '['],
      ['elements.a', '[eq]'],
      ['order=elements.', '['],
      ['order=', '.'],
      ['limit=', '1'],
      ['limit=', '%20'],
      ['skip=+', '0'],
    ];
    shapesAreLinear(QUERIES, URL_BYTES, (query) => [splitQuery(query), parseQuery(query)]);
  });

  describe('queries of images', () => {
    const QUERIES: readonly Shape[] = [
      ['', 'w=1&'],
      ['w=', '1'],
      ['w=0.', '0', '1'],
      ['rect=', '1,'],
      ['bg=', 'f'],
      ['auto=', 'format,'],
      ['auto=', ','],
      ['', '%41'],
      ['fm=', 'webp'],
      ['q=', '.'],
    ];
    shapesAreLinear(QUERIES, URL_BYTES, (query) => imageQueryKey(query, 'image/webp'));
  });

  describe('paths', () => {
    const PATHS: readonly Shape[] = [
      ['', '/'],
      ['', '/a'],
      ['/', '%41'],
      ['/', '%2F'],
      ['/', '%'],
      ['/', '.'],
      ['', '/..'],
      ['http://', 'a'],
      ['http://', '@'],
      ['', 'a'],
      ['', 'http://'],
      ['/', '\\'],
    ];
    const places = placesOfSurfaces();
    const arrive = requestResolver({ surfaces: places, allowedHosts: ['*.example.org'], trustedProxies: [] });
    shapesAreLinear(PATHS, URL_BYTES, (url) => [
      requestPath(url),
      splitPathOrNothing(url),
      arrive(requestOf(url, {})),
    ]);
  });

  describe('headers', () => {
    const UNITS = [
      ',',
      ';',
      ' ',
      'a',
      '"',
      '"a",',
      'W/',
      'W/"a"',
      '*',
      '=',
      '-',
      '.',
      ':',
      '0',
      '[',
      ']',
      '%',
    ];
    const STARTS = ['', 'Bearer ', 'bytes=', '"', 'gzip;q=', 'x;q=0.', 'image/webp;', '::', '['];
    const places = placesOfSurfaces();
    const arrive = requestResolver({
      surfaces: places,
      allowedHosts: ['*.example.org'],
      trustedProxies: ['127.0.0.1'],
    });
    const chooser = encodingChooser();
    const directivesOf = cacheDirectives(['SVC']).read;
    const parsers: Readonly<Record<string, (value: string, once: string) => unknown>> = {
      Authorization: (value) => bearerToken(value),
      Accept: (value) => acceptsWebp(value),
      'Accept-Encoding': (value, once) => chooser(value + once),
      'If-None-Match': (value) => [matches(value, '"a"'), plainTags(value)],
      Range: (value) => readRange(value, 1000),
      'Access-Control-Request-Headers': (value) => ofOtherVendors(value),
      'X-SVC-Wait-For-Loading-New-Content': (value) =>
        directivesOf({ 'x-svc-wait-for-loading-new-content': value, 'x-svc-content-sequence': value }),
      Host: (value, once) => arrive(requestOf('/', { host: value + once })),
      'X-Forwarded-For': (value) => arrive(requestOf('/', { 'x-forwarded-for': value })),
      'X-Forwarded-Host': (value, once) => arrive(requestOf('/', { 'x-forwarded-host': value + once })),
    };
    let calls = 0;
    for (const [name, parse] of Object.entries(parsers)) {
      for (const start of STARTS) {
        // Results are cached by value, so each value differs.
        isLinearIn(
          `${name}: ${start}…`,
          (size) => [...UNITS, 'a.', '1.', '127.0.0.1,', '::1,'].map((unit) => text([start, unit], size)),
          (values) => values.map((value) => parse(value, String(calls++))),
          HEADER_BYTES,
        );
      }
    }
  });

  describe('values', () => {
    const VALUES: readonly Shape[] = [
      ['', ' '],
      ['x', ' ', 'x'],
      ['', '-'],
      ['a', '-', 'a'],
      ['', 'a-'],
      ['', '0'],
      ['1.', '0'],
      ['1e', '0'],
      ['2020-01-01T00:00:00.', '0'],
      ['', '\u0301'],
      ['', 'e\u0301'],
      ['', '\u00a0', 'x'],
      ['', 'a '],
    ];
    shapesAreLinear(VALUES, TEXT, (value) => {
      countText(value, 'words');
      toUrlSlug(value);
      attachment(value);
      for (const read of [readNumber, readDateTime]) {
        try {
          read(value);
        } catch {}
      }
    });
  });

  describe('headers of files', () => {
    const start = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
    const FILES: readonly (readonly [what: string, start: Buffer, unit: Buffer])[] = [
      ['JPEG, filling bytes', start('ffd8'), start('ff')],
      ['JPEG, empty segments', start('ffd8'), start('ffe0 0002')],
      ['JPEG, Exif blocks', start('ffd8'), start('ffe1 000a 457869660000 4949')],
      [
        'PNG, empty chunks',
        start('89504e470d0a1a0a 0000000d 49484452 00000102 00000003 08 02 000000 00000000'),
        start('00000000 74455874 00000000'),
      ],
      ['GIF, empty blocks', start('474946383961 0201 0300 00 00 00'), start('21 fe 00')],
      ['GIF, small blocks', start('474946383961 0201 0300 00 00 00 21fe'), start('01 00')],
      ['GIF, frames', start('474946383961 0201 0300 00 00 00'), start('2c 0000 0000 0100 0100 00 02 00')],
      [
        'WebP, chunks',
        start('52494646 ffffff7f 57454250 56503858 0a000000 12000000 010100 020000'),
        start('414e4d46 00000000'),
      ],
      ['text', Buffer.alloc(0), Buffer.from(' ')],
      ['markup', Buffer.from('<?xml'), Buffer.from('<html')],
    ];
    for (const [what, head, unit] of FILES) {
      isLinearIn(
        what,
        (size) => Buffer.concat([head, Buffer.alloc(size - head.length, unit)]),
        (file) => {
          sniffType(file);
          const reader = new HeaderReader();
          for (let at = 0; at < file.length; at += 65_536) reader.write(file.subarray(at, at + 65_536));
        },
        FILE,
      );
    }
  });

  describe('archives', () => {
    const ARCHIVES: readonly (readonly [what: string, make: (size: number) => Promise<Buffer>])[] = [
      [
        'many small files',
        (size) => tarOf(Array.from({ length: size / 1024 }, (_, at) => [`files/${at}`, 'x'])),
      ],
      ['one long line', async (size) => tarOf([['items/1.ndjson', `"${'x'.repeat(size)}"`]])],
      ['many short lines', async (size) => tarOf([['items/1.ndjson', '1\n'.repeat(size / 2)]])],
      ['nothing but line feeds', async (size) => tarOf([['items/1.ndjson', '\n'.repeat(size)]])],
      ['zeros', async (size) => Buffer.alloc(size)],
      ['text', async (size) => Buffer.alloc(size, 'x')],
    ];
    for (const [what, make] of ARCHIVES) {
      isLinearIn(
        what,
        make,
        async (archive) => {
          for await (const entry of readArchive(chunksOf(await archive))) await entry.lines();
        },
        FILE,
      );
    }
  });
});

async function* chunksOf(body: string | Buffer): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body as string);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function splitPathOrNothing(path: string): unknown {
  try {
    return splitPath(path);
  } catch {
    return undefined;
  }
}

const socket = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1', localPort: 8080 };

function requestOf(url: string, headers: IncomingHttpHeaders): IncomingMessage {
  return { url, headers, socket, httpVersionMajor: 1 } as unknown as IncomingMessage;
}

function placesOfSurfaces(): SurfaceAddresses {
  return Object.fromEntries(
    SURFACES.map((name) => [name, { prefix: `/${name}`, hosts: [`*.${name}.localhost`], publicUrl: null }]),
  ) as unknown as SurfaceAddresses;
}
