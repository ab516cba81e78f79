import { expect } from 'chai';
import type { Evidence } from './evidence.ts';

/** From the answer on that replaced it, no gateway accepts a key; the new one is accepted. */
export function checkKeys({ keys }: Evidence): void {
  for (const { via, isDead, after, status } of keys) {
    const is = `${via} answers ${status} to the ${isDead ? 'old' : 'new'} key, ${after.toFixed(0)} ms after its replacement`;
    expect([isDead ? 401 : 200, 503], is).to.include(status);
  }
}
