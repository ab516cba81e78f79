import { setTimeout } from 'node:timers/promises';
import type { Random } from '../support/random/random.ts';
import type { ChaosCluster, Part } from './chaos-cluster.ts';

/** Disturbs a cluster for a while; when it resolves, the fault has ended. */
export type Fault = (cluster: ChaosCluster, random: Random) => Promise<void>;

/** How long a stalled part stands still, in milliseconds: shorter and longer than the second after which a feed is lost. */
const STALL = [200, 2500] as const;

export const FAULTS: Readonly<Record<string, Fault>> = {
  'core killed': ({ core }, random) => kill(core, random),
  'gateway killed': ({ gateways }, random) => kill(random.pick(gateways), random),
  'core stalled': ({ core }, random) => stall(core, random),
  'gateway stalled': ({ gateways }, random) => stall(random.pick(gateways), random),
  async 'connections cut'({ relays }, random) {
    for (let times = random.int(1, 5); times > 0; times -= 1) {
      random.pick(relays).cut();
      await setTimeout(random.int(0, 200));
    }
  },
  async 'connections silent'({ relays }, random) {
    const relay = random.pick(relays);
    relay.hold();
    await setTimeout(random.int(...STALL));
    if (random.chance(0.5)) relay.cut();
    relay.release();
  },
};

async function kill(part: Part, random: Random): Promise<void> {
  part.signal('SIGKILL');
  await setTimeout(random.int(0, 500));
  await part.restart();
}

async function stall(part: Part, random: Random): Promise<void> {
  part.signal('SIGSTOP');
  await setTimeout(random.int(...STALL));
  part.signal('SIGCONT');
}
