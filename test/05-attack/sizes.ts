import type { Sizes } from './attack-data.ts';

/** Items of the attacked project, and of the other one. */
export const SIZES: Sizes = process.env['HEADWATER_TEST_LONG'] === '1' ? [15_000, 1500] : [2000, 400];
