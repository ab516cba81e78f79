import { expect } from 'chai';
import type { Sent } from '../clients/sent.ts';
import type { Evidence } from './evidence.ts';

const SECOND_MS = 1000;

/**
 * In no second more calls are admitted than the limit allows all gateways together, each by itself: a gateway that gets no
 * answer of Redis within 30 ms counts alone, in a fault as on a busy machine. One that was started in that second may admit as many
 * again. `03-adapters/redis-limiter` has the exact limit.
 */
export function checkLimits({ sent, limited, faults }: Evidence): void {
  const admitted = sent
    .filter(({ url, answer }) => url.endsWith(limited.path) && answer?.status === 200)
    .sort((a, b) => a.began - b.began);
  for (const { began } of admitted) {
    const until = began + SECOND_MS;
    const within = admitted.filter((one) => isWithin(one, began, until)).length;
    const starts = faults.all.filter(
      ({ name, from, ended }) => name === 'gateway killed' && from <= until && ended >= began,
    );
    const most = limited.second * (limited.gateways + starts.length);
    expect(within, 'calls that were admitted in one second').to.be.at.most(most);
  }
}

/** Both ends, as it is not known when in between it was counted. */
function isWithin({ began, ended }: Sent, from: number, until: number): boolean {
  return began >= from && ended < until;
}
