/**
 * An archive of a project with invalid changes: in the JSON of its rows, in the order and number of
 * rows and entries, in the tar around them. The same seed makes the same bytes.
 */
import { gzipSync } from 'node:zlib';
import type { Random } from '../random/random.ts';
import { mutateJson } from './mutate-json.ts';
import { type TarEntry, writeEntries } from './tar-entries.ts';

const BLOCK = 512;

export async function hostileArchive(entries: readonly TarEntry[], random: Random): Promise<Buffer> {
  const pool = poolOf(entries);
  let changed = [...entries];
  const isDeep = random.chance(0.75);
  for (let times = random.int(1, 3); times > 0; times -= 1) {
    if (isDeep || random.chance(0.3)) changed = changeContent(changed, random, pool);
    else changed = changeEntries(changed, random);
  }
  const bytes = await writeEntries(changed);
  return isDeep || random.chance(0.4) ? bytes : changeBytes(bytes, random);
}

/** Ids, codenames and other short values of the archive. */
function poolOf(entries: readonly TarEntry[]): unknown[] {
  const texts = entries.flatMap(({ name, content }) =>
    name.startsWith('files/') ? [] : [content.toString()],
  );
  const found = texts.flatMap(
    (text) => text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|"[a-z_0-9]{2,40}"/g) ?? [],
  );
  return [...new Set(found)].map((text) => text.replaceAll('"', ''));
}

function changeContent(entries: readonly TarEntry[], random: Random, pool: readonly unknown[]): TarEntry[] {
  const texts = entries.flatMap(({ name }, index) => (name.startsWith('files/') ? [] : [index]));
  if (texts.length === 0) return [...entries];
  const at = random.pick(texts);
  const entry = entries[at]!;
  const text = entry.content.toString();
  return entries.with(at, { ...entry, content: Buffer.from(changeText(entry.name, text, random, pool)) });
}

function changeText(name: string, text: string, random: Random, pool: readonly unknown[]): string {
  try {
    if (!name.endsWith('.ndjson')) return mutateJson(text, random, pool);
    const rows = text.split('\n').filter(Boolean);
    const at = random.int(0, rows.length - 1);
    const row = rows[at] ?? '{}';
    if (random.chance(0.85)) return rowsText(rows.with(at, mutateJson(row, random, pool)));
    return random.pick([
      () => rowsText([...rows, row]),
      () => rowsText(rows.toSpliced(at, 1)),
      () => rowsText(random.shuffled(rows)),
      () => rowsText(rows.with(at, row.slice(0, random.int(0, row.length)))),
      () => `\ufeff${text}`,
      () => `${text}\n\n\n`,
      () => `[${rows.join(',')}]`,
      () => '',
    ])();
  } catch {
    // It was broken by a change before this one.
    return `${text}x`;
  }
}

function rowsText(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join('');
}

const NAMES = [
  '../../../../tmp/x',
  '/etc/passwd',
  'files/../../x',
  `files/${'a'.repeat(64)}`,
  `files/${'A'.repeat(64)}`,
  'model.json',
  'MODEL.JSON',
  './model.json',
  'end.json',
  'items/000001.ndjson',
  'items/1.ndjson',
  'variants/999999999.ndjson',
  'assets/000002.ndjson',
  'webhooks/000001.ndjson',
  `${'long/'.repeat(80)}name`,
  'ünïcode',
  '.',
];
const TYPES = ['symlink', 'link', 'directory', 'fifo', 'character-device', 'block-device'] as const;

function changeEntries(entries: readonly TarEntry[], random: Random): TarEntry[] {
  const at = random.int(0, Math.max(0, entries.length - 1));
  const entry = entries[at];
  if (!entry) return [];
  return random.pick<() => TarEntry[]>([
    () => entries.toSpliced(at, 1),
    () => [...entries, entry],
    () => entries.toSpliced(at, 0, entry),
    () => entries.with(at, { ...entry, name: random.pick(NAMES) }),
    () => entries.with(at, { ...entry, type: random.pick(TYPES) }),
    () => entries.toSpliced(at, 0, { name: random.pick(NAMES), content: Buffer.from('{}') }),
    () =>
      entries.toSpliced(at, 0, {
        name: random.pick(NAMES),
        content: Buffer.alloc(0),
        type: random.pick(TYPES),
      }),
    () => random.shuffled([...entries]),
    () => entries.with(at, { ...entry, content: Buffer.concat([entry.content, Buffer.from('x')]) }),
    () =>
      entries.with(at, { ...entry, content: entry.content.subarray(0, random.int(0, entry.content.length)) }),
    () => entries.slice(0, at),
    () => [...entries, ...entries],
  ])();
}

function changeBytes(bytes: Buffer, random: Random): Buffer {
  const block = BLOCK * random.int(0, bytes.length / BLOCK - 1);
  return random.pick<() => Buffer>([
    () => bytes.subarray(0, random.int(0, bytes.length)),
    () => withHeader(bytes, block, (header) => header.fill(random.int(0, 255), ...someByte(random))),
    () => withHeader(bytes, 0, (header) => header.fill(random.int(0, 255), ...someByte(random))),
    () =>
      withHeader(bytes, block, (header) =>
        header.write(random.pick(['77777777777', '-1', '00000000001', 'x']), 124),
      ),
    () => withHeader(bytes, block, (header) => header.fill(random.pick([0x80, 0xff]), 124, 136)),
    () => withHeader(bytes, block, (header) => header.write(random.pick([...'1256xgSLKVD7\0']), 156)),
    () => Buffer.concat([pax(random), bytes]),
    () => Buffer.concat([bytes.subarray(0, block), pax(random), bytes.subarray(block)]),
    () => Buffer.concat([bytes.subarray(0, block), Buffer.alloc(BLOCK * 2), bytes.subarray(block)]),
    () => Buffer.concat([bytes, Buffer.alloc(BLOCK * 40)]),
    () => Buffer.concat([bytes, bytes]),
    () => gzipSync(bytes),
    () => {
      const flipped = Buffer.from(bytes);
      for (let times = random.int(1, 20); times > 0; times -= 1)
        flipped[random.int(0, bytes.length - 1)] = random.int(0, 255);
      return flipped;
    },
  ])();
}

/** From and to. */
function someByte(random: Random): [number, number] {
  const at = random.int(0, BLOCK - 1);
  return [at, at + 1];
}

/** With a checksum that is right again. */
function withHeader(bytes: Buffer, at: number, change: (header: Buffer) => unknown): Buffer {
  const changed = Buffer.from(bytes);
  const header = changed.subarray(at, at + BLOCK);
  if (header.length < BLOCK) return changed;
  change(header);
  header.fill(0x20, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return changed;
}

/** An extended header of POSIX tar that contradicts the next entry. */
function pax(random: Random): Buffer {
  const said = random.pick([
    'path=../../x',
    'path=model.json',
    'size=99999999999999',
    'size=-5',
    'size=x',
    'size=0',
    'linkpath=/etc/passwd',
    '__proto__=x',
    'GNU.sparse.realsize=1099511627776',
    `comment=${'c'.repeat(5000)}`,
  ]);
  const length = ` ${said}\n`.length;
  const digits = String(length + String(length).length).length;
  const record = Buffer.from(`${length + digits} ${said}\n`);
  const size = random.chance(0.8) ? record.length : random.pick([0, 5 * 2 ** 20, 2 ** 32]);
  const header = Buffer.alloc(BLOCK);
  header.write('PaxHeader', 0);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(random.pick(['x', 'g', 'L']), 156);
  header.write('ustar\u000000', 257, 'latin1');
  const body = Buffer.alloc(Math.ceil(record.length / BLOCK) * BLOCK);
  record.copy(body);
  return Buffer.concat([withHeader(header, 0, () => {}), body]);
}
