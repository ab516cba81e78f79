/**
 * Other clients in a process of their own, which goes before the hostile clients and the service: it stands for other
 * machines, and measures the service and not its own waits for a processor.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { answerParent } from '../bench/answer-parent.ts';
import { OtherClients, type OthersResult, type OthersTarget } from './other-clients.ts';

export interface OthersOrder {
  readonly target: OthersTarget;
  readonly seconds: number;
}

const NICE = -10;
/** With autogroups, Linux compares processes of different sessions by the nice value of the session. */
for (const raise of [() => setPriority(NICE), () => writeFileSync('/proc/self/autogroup', String(NICE))]) {
  try {
    raise();
  } catch {
    // It needs a privilege; other systems have no autogroups.
  }
}

let clients: OtherClients | undefined;
answerParent(({ target, seconds }: OthersOrder): Promise<OthersResult> => {
  clients ??= new OtherClients(target);
  return clients.run(seconds);
});
