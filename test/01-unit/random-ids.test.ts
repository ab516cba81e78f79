import { expect } from 'chai';
import { randomIds } from '../../gateway/pipeline/plugin-services.ts';

/** More than share a prefix. */
const COUNT = 140_000;

describe('ids of requests and traces', () => {
  it('have their form from the first on, and never repeat', () => {
    for (const [make, form] of [
      [randomIds.newId, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/],
      [randomIds.newTrace, /^[\da-f]{32}$/],
    ] as const) {
      const ids = new Set<string>();
      for (let count = 0; count < COUNT; count += 1) ids.add(make());
      expect(ids.size).to.equal(COUNT);
      for (const id of ids) if (!form.test(id)) expect(id).to.match(form);
    }
  });
});
