import { FITS, FORMATS, type ParameterName } from '../images/read-parameters.ts';

type Json = Record<string, unknown>;

const query = (name: ParameterName, schema: Json, description: string, example?: unknown): Json => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  ...(example !== undefined && { example }),
});

const side = { type: 'number', exclusiveMinimum: 0, maximum: 8192 };

/** Parameters of an asset URL; spec 4.2. */
export const imageParameters: readonly Json[] = [
  query('w', side, 'Width in pixels; between 0 and 1 a share of the image, or of `rect`.', 300),
  query('h', side, 'Height in pixels; between 0 and 1 a share of the image, or of `rect`.', 0.5),
  query(
    'dpr',
    { type: 'number', exclusiveMinimum: 0 },
    'Device pixels for each of `w` and `h`; above 5 acts as 5. Needs `w` or `h`.',
  ),
  query(
    'fit',
    { type: 'string', enum: FITS, default: 'clip' },
    'clip: fits into the size; scale: exactly the size, distorted; crop: fills the size and cuts the overflow, with both sides given in pixels. Needs `w` or `h`.',
  ),
  query(
    'rect',
    { type: 'string' },
    'Part of the image, `x,y,w,h`, each in pixels or as a share between 0 and 1; reduced to what lies inside the image. Not together with a focal point.',
    '10,20,300,200',
  ),
  query(
    'crop',
    { type: 'string', enum: ['focalpoint'] },
    'Crops around a focal point instead of the centre. Needs `fit=crop`.',
  ),
  query('fp-x', { type: 'number', minimum: 0, maximum: 1, default: 0.5 }, 'Focal point, from the left.'),
  query('fp-y', { type: 'number', minimum: 0, maximum: 1, default: 0.5 }, 'Focal point, from the top.'),
  query(
    'fp-z',
    { type: 'number', exclusiveMinimum: 0, default: 1 },
    'Zoom at the focal point; 2 shows half the width and height.',
  ),
  query(
    'bg',
    { type: 'string', pattern: '^([0-9a-fA-F]{3}|[0-9a-fA-F]{4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$' },
    'Colour behind transparent parts: RGB, ARGB, RRGGBB or AARRGGBB.',
    'ff8800',
  ),
  query(
    'fm',
    { type: 'string', enum: FORMATS },
    'Format of the result; that of the source when not given. png8 has 256 colours, pjpg is progressive. gif and webp keep animations.',
  ),
  query('q', { type: 'number', minimum: 0, maximum: 100, default: 85 }, 'Quality of jpg, pjpg and webp.'),
  query(
    'lossless',
    { type: 'string', enum: ['1', '0', 'true', 'false'], default: 'false' },
    'WebP without loss. Needs `fm=webp`.',
  ),
  query(
    'auto',
    { type: 'string' },
    '`format`: WebP for browsers that name it in `Accept`, else `fm`, else the format of the source. Older clients write `webp` for it.',
    'format',
  ),
];
