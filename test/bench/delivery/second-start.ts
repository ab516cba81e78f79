import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Measure } from '../benchmark.ts';
import type { Checkout } from '../checkout.ts';
import { cleanEnvironment, end, start } from '../processes.ts';
import { median, takeTurns } from '../rounds.ts';
import { freePort, ready, serviceSettings } from '../service.ts';

const POLL_MS = 5;

/** `npm start` on a prepared clone whose sample project is loaded: how long until it can answer? */
export const secondStart: Measure = {
  name: 'second-start',
  about: 'second npm start to the first 200, less the time of an empty npm script',
  async run({ datasets, rounds }: Bench) {
    const data = await datasets.folder('second-start-data');
    const empty = await datasets.folder('empty-script');
    await writeFile(
      join(empty, 'package.json'),
      JSON.stringify({ private: true, scripts: { start: 'true' } }),
    );
    const serviceStart = () => startTime(datasets.checkout, data);
    const emptyScript = async () => {
      const began = performance.now();
      const child = start('npm', ['start', '--silent'], {
        stdio: 'ignore',
        env: cleanEnvironment(),
        cwd: empty,
      });
      await new Promise((resolve) => child.once('close', resolve));
      return performance.now() - began;
    };
    // The turn that does not count makes the build and loads the sample project.
    const found = await takeTurns(rounds, { serviceStart, emptyScript });
    const less = found.serviceStart.map((took, round) => (took - found.emptyScript[round]!) / 1000);
    return [
      {
        name: 'to the first 200',
        value: median(less),
        unit: 's',
        target: { atMost: 2 },
        detail: `${(median(found.serviceStart) / 1000).toFixed(2)} s − ${(median(found.emptyScript) / 1000).toFixed(2)} s for an empty npm script`,
      },
    ];
  },

  async compare({ datasets }: Bench) {
    const data = await datasets.folder('second-start-data');
    return {
      async 'npm start to the first 200'() {
        return { milliseconds: await startTime(datasets.checkout, data) };
      },
    };
  },
};

/** Milliseconds from `npm start` until the service can answer; the first one builds and loads the sample project. */
async function startTime({ root }: Checkout, data: string): Promise<number> {
  const port = await freePort();
  const env = cleanEnvironment({ ...serviceSettings(data, port), HEADWATER_SAMPLE: 'true' });
  const began = performance.now();
  const child = start('npm', ['start', '--silent'], { stdio: 'ignore', env, cwd: root });
  try {
    await ready(port, POLL_MS);
    return performance.now() - began;
  } finally {
    await end(child);
  }
}
