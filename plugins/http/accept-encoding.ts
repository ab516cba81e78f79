export type Encoding = 'identity' | 'gzip' | 'br';

/** Available encodings, preferred ones first. */
const OFFERED = ['br', 'gzip'] as const;
/** What decides between them; every other name of a header is passed over. */
const DECIDING: ReadonlySet<string> = new Set(['br', 'gzip', 'x-gzip', 'identity', '*']);
const CACHED_HEADERS = 500;
/** In characters; no browser sends half of that. A longer header is read each time. */
const LONGEST_CACHED = 200;

/**
 * What to send to an `Accept-Encoding` (RFC 9110, 12.5.3): br, gzip or none. Clients send few different values,
 * so the choices are cached.
 */
export function encodingChooser(): (header: string | undefined) => Encoding {
  const known = new Map<string, Encoding>();
  return (header) => {
    if (header === undefined) return 'identity';
    let found = known.get(header);
    if (found === undefined) {
      found = choose(header);
      if (header.length > LONGEST_CACHED) return found;
      if (known.size >= CACHED_HEADERS) known.clear();
      known.set(header, found);
    }
    return found;
  };
}

function choose(header: string): Encoding {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (!DECIDING.has(name)) continue;
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = OFFERED.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  const plain = weights.get('identity') ?? 0;
  return best !== undefined && weightOf(best) >= plain ? best : 'identity';
}
