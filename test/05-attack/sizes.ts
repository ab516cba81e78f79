import { isLongForm } from '../support/long-form.ts';
import type { Sizes } from './attack-data.ts';

/** Items of the attacked project, and of the other one. */
export const SIZES: Sizes = isLongForm ? [15_000, 1500] : [1000, 200];
