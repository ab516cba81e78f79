/**
 * Core, from the build, that is asked for images by eight readers until the process is killed. Each answer is a
 * line: what was asked, its tag, the SHA-256 of its bytes, and how many images were made so far.
 *
 *     node image-makers.mjs <data folder> <path of the image> <seed> <bytes of the cache>
 */
import { createHash } from 'node:crypto';
import { createCore } from '../../../.build/core/compose/create-core.js';
import { transformImage } from '../../../.build/workers/images/transform-image.js';

const READERS = 8;

const [, , dataDir, path, seed, cacheBytes] = process.argv;
const limits = { maxPixels: 1_000_000, maxFrames: 10 };
let made = 0;
const workers = {
  run: (_task, input) => {
    made += 1;
    return transformImage(input, limits, 20);
  },
  refusal: () => undefined,
  health: async () => ({ ok: true, detail: '' }),
  report: () => ({}),
  close: async () => {},
};
const core = await createCore({
  dataDir,
  vendor: { header: ['SVC'], mediaType: 'service' },
  log: { info() {}, warn() {}, error: (fields, text) => process.stderr.write(`${text} ${fields.err}\n`) },
  images: { cacheBytes: Number(cacheBytes) },
  workers,
});

let state = Number(seed);
/** Numbers below `end`, the same for the same seed. */
function random(end) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return (state >>> 8) % end;
}

async function read() {
  for (;;) {
    const query = `w=${60 + random(40)}&fm=${['png', 'jpg', 'webp'][random(3)]}`;
    const answer = await core.handle({
      surface: 'assets',
      method: 'GET',
      path,
      query,
      headers: {},
      bases: { self: 'http://assets', assets: 'http://assets' },
      principal: { kind: 'anonymous' },
      requestId: 'killed',
    });
    const hash = createHash('sha256').update(Buffer.concat(answer.body)).digest('hex');
    process.stdout.write(`${JSON.stringify({ query, etag: answer.headers.etag, hash, made })}\n`);
  }
}

process.stdout.write('{"ready":true}\n');
await Promise.all(Array.from({ length: READERS }, read));
