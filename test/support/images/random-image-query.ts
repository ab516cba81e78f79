/** Image URLs as clients, careless ones and hostile ones write them. */
import fc from 'fast-check';
import { PARAMETER_NAMES, type ParameterName } from '../../../core/images/read-parameters.ts';
import type { OracleSource } from './image-oracle.ts';

const NONSENSE = [
  '',
  'NaN',
  '-1',
  '-0.5',
  '+5',
  '1e2',
  '1E-05',
  'Infinity',
  '0',
  '0.0',
  '00',
  '1.',
  '.',
  '..5',
  '1,2',
  ' 7',
  '0x10',
  '٣',
  '9'.repeat(64),
  '9'.repeat(65),
  '9'.repeat(5000),
  `0.${'0'.repeat(60)}1`,
  '1.0000000000000000000001',
  '0.99999999999999999999',
  '8192',
  '8192.4',
  '8193',
  'null',
  '%00',
];

const decimals = (whole: fc.Arbitrary<number>, places = 10) =>
  fc
    .tuple(whole, fc.integer({ min: 0, max: 10 ** places - 1 }), fc.integer({ min: 1, max: places }))
    .map(
      ([number, fraction, length]) => `${number}.${String(fraction).padStart(places, '0').slice(0, length)}`,
    );

const share = fc.oneof(
  decimals(fc.constant(0)),
  fc.constantFrom('0.5', '.5', '0.25', '0.333', '0.999', '0.001'),
);
const pixels = fc.oneof(
  fc.integer({ min: 1, max: 700 }).map(String),
  fc.integer({ min: 1, max: 9000 }).map(String),
  decimals(fc.integer({ min: 1, max: 400 })),
);
const nonsense = fc.constantFrom(...NONSENSE);
const length = fc.oneof(
  { arbitrary: pixels, weight: 6 },
  { arbitrary: share, weight: 3 },
  { arbitrary: nonsense, weight: 1 },
);
const rectPart = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 500 }).map(String), weight: 4 },
  { arbitrary: share, weight: 3 },
  { arbitrary: nonsense, weight: 1 },
);
const mostly = (good: fc.Arbitrary<string>) =>
  fc.oneof({ arbitrary: good, weight: 9 }, { arbitrary: nonsense, weight: 1 });

const VALUES: Readonly<Record<ParameterName | 'width', fc.Arbitrary<string>>> = {
  w: length,
  h: length,
  dpr: mostly(
    fc.oneof(decimals(fc.integer({ min: 0, max: 5 }), 2), fc.constantFrom('1', '2', '3', '5', '5.01', '100')),
  ),
  fit: fc.constantFrom('clip', 'scale', 'crop', 'crop', 'Crop', 'max', ''),
  rect: fc.oneof(
    {
      arbitrary: fc.tuple(rectPart, rectPart, rectPart, rectPart).map((parts) => parts.join(',')),
      weight: 8,
    },
    {
      arbitrary: fc.constantFrom('1,2,3', '1,2,3,4,5', '0,0,0,5', 'a,b,c,d', ',,,', '0,0,1,1', '99999,0,5,5'),
      weight: 1,
    },
  ),
  crop: fc.constantFrom('focalpoint', 'focalpoint', 'faces', 'Focalpoint', ''),
  'fp-x': mostly(fc.oneof(share, fc.constantFrom('0', '1', '1.0', '1.01', '550'))),
  'fp-y': mostly(fc.oneof(share, fc.constantFrom('0', '1', '1.0', '1.01', '550'))),
  'fp-z': mostly(
    fc.oneof(decimals(fc.integer({ min: 0, max: 9 }), 3), fc.constantFrom('1', '2', '100', '5000')),
  ),
  bg: fc.constantFrom(
    'fff',
    '8F0a',
    '336699',
    '80336699',
    '00000000',
    '#fff',
    'red',
    'ff',
    '12345',
    '',
    'gggggg',
  ),
  fm: fc.constantFrom('gif', 'png', 'png8', 'jpg', 'pjpg', 'webp', 'webp', 'jpeg', 'avif', 'JPG', ''),
  q: mostly(
    fc.oneof(fc.integer({ min: 0, max: 110 }).map(String), decimals(fc.integer({ min: 0, max: 101 }), 2)),
  ),
  lossless: fc.constantFrom('1', '0', 'true', 'false', 'TRUE', 'yes', ''),
  auto: fc.constantFrom('format', 'webp', 'compress', 'compress,format', 'Format', 'formats', ''),
  width: fc.constantFrom('100', 'x'),
};

const written = (names: readonly (keyof typeof VALUES)[]): fc.Arbitrary<string[]> =>
  fc
    .tuple(...names.map((name) => VALUES[name].map((value) => [name, value] as const)))
    .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`));

const anything = fc
  .array(fc.constantFrom(...PARAMETER_NAMES, 'width' as const, 'w', 'h', 'w', 'h', 'fit'), { maxLength: 9 })
  .chain(written);

/** Many parameters have to agree before a focal point counts, which chance alone seldom brings about. */
const focal = fc
  .tuple(
    pixels,
    pixels,
    fc.subarray<ParameterName>(['fp-x', 'fp-y', 'fp-z', 'dpr', 'fm', 'q']).chain(written),
  )
  .map(([w, h, more]) => ['crop=focalpoint', ...more, 'fit=crop', `w=${w}`, `h=${h}`]);

/** Some of the parameters, in any order, now and then one twice. */
export const imageQueries: fc.Arbitrary<string> = fc
  .oneof({ arbitrary: anything, weight: 3 }, { arbitrary: focal, weight: 1 })
  .map((pairs) => pairs.join('&'));

const side = fc.oneof(
  fc.integer({ min: 1, max: 20 }),
  fc.integer({ min: 1, max: 1000 }),
  fc.integer({ min: 8000, max: 20_000 }),
);

export const imageSources: fc.Arbitrary<OracleSource> = fc.record({
  format: fc.constantFrom('jpeg', 'png', 'gif', 'webp'),
  width: side,
  height: side,
  frames: fc.constantFrom(1, 1, 1, 12),
  alpha: fc.boolean(),
});
