/**
 * A core from the build whose clocks run faster for everything that waits; some of its writes are refused as SQLite refuses
 * them.
 */
import { createCore } from '../../../.build/core/compose/create-core.js';

/** Where a core runs alone. */
const FASTER = 1000;
/** A lease that others take over at its end then lasts 7.5 s: longer than a busy machine keeps a process waiting. */
const FASTER_SHARED = 20;
const HOUR = 3_600_000;

/** Mulberry32: enough to repeat a run by its seed. */
function dice(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param isQuiet no write is refused
 * @param origin milliseconds since 1970: when the clock began that it shares with other cores, as that of their database. Alone
 * it begins now, and is set differently in every round unless `isQuiet`.
 */
export async function startFaultyCore({ folder, round, seed, isQuiet, origin, filesBucket, commitStream }) {
  const random = dice(Number(seed) + Number(round) * 7919);
  const isAlone = origin === undefined;
  const faster = isAlone ? FASTER : FASTER_SHARED;
  const jump = isQuiet || !isAlone ? 0 : [0, 0, HOUR, -HOUR][Math.floor(random() * 4)];
  const start = origin ?? Date.now();
  const wall = () =>
    Date.UTC(2030, 0, 1) + (Date.now() - Date.UTC(2026, 0, 1)) + (Date.now() - start) * faster + jump;
  const dispatchClock = {
    now: wall,
    elapsed: () => performance.now() * faster,
    after(ms, listener) {
      // Not negative, as that of the product.
      const timer = setTimeout(listener, Math.max(ms, 0) / faster);
      return () => clearTimeout(timer);
    },
  };
  const core = await createCore({
    dataDir: folder,
    databaseUrl: process.env.HEADWATER_DATABASE_URL ?? null,
    filesBucket,
    commitStream,
    vendor: { header: ['SVC'], mediaType: 'service' },
    log: {
      info() {},
      warn() {},
      error: (fields, text) =>
        process.env.HEADWATER_TEST_LOUD && process.stderr.write(`${text} ${fields.err?.stack}\n`),
    },
    webhooks: { allow: ['127.0.0.0/8'] },
    dispatchClock,
    now: () => new Date(wall()),
  });
  if (isQuiet) return core;
  const { storage } = core.operations;
  const write = storage.write.bind(storage);
  storage.write = (work) => {
    const at = random();
    if (at < 0.05) return Promise.reject(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }));
    if (at > 0.95)
      return write(async (tx) => {
        await work(tx);
        // All was written, and then the disk was full.
        throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
      });
    return write(work);
  };
  return core;
}
