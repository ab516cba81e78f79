/**
 * A plugin right behind the limiter: it records when calls were admitted, by the clock that the limiter reads. The
 * log's times are those of the answers, and a call that came late in one second may be admitted in the next.
 */
import { appendFileSync } from 'node:fs';

export const plugin = {
  name: 'right-behind',
  phase: 'admit',
  surfaces: ['manage'],
  settings: (z) =>
    z.strictObject({ file: z.string().describe('Gets a line for each call that was admitted.') }),
  setup({ file }, { clock }) {
    let lines = '';
    return {
      handle(_ctx, next) {
        lines += `${performance.timeOrigin + clock.monotonic()}\n`;
        return next();
      },
      async dispose() {
        appendFileSync(file, lines);
      },
    };
  },
};
