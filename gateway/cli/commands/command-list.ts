import type { Command } from '../command.ts';
import { check } from './check.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';

/** Every command there is, in the order of the help. */
export const commands: readonly Command[] = [check, explain, doctor];
