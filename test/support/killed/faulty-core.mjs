/**
 * A core from the build whose clocks run 1,000 times as fast for everything that waits, and are set differently in every
 * round; some of its writes are refused as SQLite refuses them.
 */
import { createCore } from '../../../.build/core/compose/create-core.js';

const FASTER = 1000;
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

/** @param isQuiet its clocks are right, and no write is refused */
export async function startFaultyCore({ folder, round, seed, isQuiet }) {
  const random = dice(Number(seed) + Number(round) * 7919);
  const jump = isQuiet ? 0 : [0, 0, HOUR, -HOUR][Math.floor(random() * 4)];
  const start = Date.now();
  const wall = () =>
    Date.UTC(2030, 0, 1) + (Date.now() - Date.UTC(2026, 0, 1)) + (Date.now() - start) * FASTER + jump;
  const dispatchClock = {
    now: wall,
    elapsed: () => performance.now() * FASTER,
    after(ms, listener) {
      const timer = setTimeout(listener, ms / FASTER);
      return () => clearTimeout(timer);
    },
  };
  const core = await createCore({
    dataDir: folder,
    databaseUrl: process.env.HEADWATER_DATABASE_URL ?? null,
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
