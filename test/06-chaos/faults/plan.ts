import { Random } from '../../support/random/random.ts';
import type { Fault } from './fault.ts';
import { DATABASE_FAULTS, FAULTS } from './faults.ts';

const AT_A_TIME = 3;
/** Between the first and the last fault that begin together. */
const APART_MS = 1000;

export interface PlannedFault {
  readonly name: string;
  /** Milliseconds after the begin of its round. */
  readonly delay: number;
  readonly fault: Fault;
  readonly random: Random;
}

/** The rounds of a schedule: in each some faults at a time, of different parts. */
export function planRounds(seed: number, rounds: number, hasDatabase: boolean): PlannedFault[][] {
  const random = new Random(seed);
  const possible = Object.entries({ ...FAULTS, ...(hasDatabase && DATABASE_FAULTS) });
  return Array.from({ length: rounds }, () =>
    random
      .shuffled(possible)
      .slice(0, random.int(1, AT_A_TIME))
      .map(([part, faults]) => {
        const [kind, fault] = random.pick(Object.entries(faults));
        const [own, delay] = [new Random(random.int(0, 2 ** 30)), random.int(0, APART_MS)];
        return { name: `${part} ${kind}`, delay, fault, random: own };
      }),
  );
}
