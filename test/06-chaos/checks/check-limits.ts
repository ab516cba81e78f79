import { expect } from 'chai';
import type { Sent } from '../clients/sent.ts';
import type { Evidence } from './evidence.ts';

const SECOND_MS = 1000;
/** The shared counts are used again after a fault. */
const EXACT_AGAIN_MS = 2000;

/**
 * In no second more calls are admitted than the limit, where nothing was disturbed. Otherwise each gateway admits that many at most,
 * and one that was started in that second as many again.
 */
export function checkLimits({ sent, limited, faults }: Evidence): void {
  const admitted = sent
    .filter(({ url, answer }) => url.endsWith(limited.path) && answer?.status === 200)
    .sort((a, b) => a.began - b.began);
  for (const { began } of admitted) {
    const until = began + SECOND_MS;
    const within = admitted.filter((one) => isWithin(one, began, until)).length;
    const isDisturbed = faults.meet(began - EXACT_AGAIN_MS - SECOND_MS, until);
    const starts = faults.all.filter(
      ({ name, from, ended }) => name === 'gateway killed' && from <= until && ended >= began,
    );
    const most = isDisturbed ? limited.second * (limited.gateways + starts.length) : limited.second;
    expect(within, `calls that were admitted in one second${isDisturbed ? ' of a fault' : ''}`).to.be.at.most(
      most,
    );
  }
}

/** Both ends, as it is not known when in between it was counted. */
function isWithin({ began, ended }: Sent, from: number, until: number): boolean {
  return began >= from && ended < until;
}
