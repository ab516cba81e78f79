import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import {
  definePlugin,
  type ExpressVisit,
  type Kit,
  NOTHING_TO_DO,
  type Visit,
} from '../../plugins/contract.ts';
import { fakeContent } from '../support/fake-content.ts';
import { PROJECTS } from '../support/fake-core.ts';
import { fetchRaw } from '../support/fetch-raw.ts';
import { runGateway, type TestGateway } from '../support/run-gateway.ts';

const PATH = `/${PROJECTS.open}/items/a`;
const OTHER = `/${PROJECTS.open}/items/b`;
const plain = { phase: 'edge', surfaces: ['delivery'], settings: z.strictObject({}) } as const;

/** Private members, as classes have them: its methods need their own `this`. */
class Counting {
  readonly express = NOTHING_TO_DO;
  #responses = 0;
  handle(_ctx: unknown, next: () => Promise<void>): Promise<void> {
    return next();
  }
  left(_visit: Visit): void {
    this.#responses += 1;
  }
  get responses(): number {
    return this.#responses;
  }
}

describe('a plugin that uses the names of the release before', () => {
  const calls: string[] = [];
  const counting = new Counting();
  let gateway: TestGateway;
  before(async () => {
    const content = fakeContent();
    content.publish(PATH, 'old');
    content.publish(OTHER, 'old');
    const recording = definePlugin({
      ...plain,
      name: 'recording',
      needs: ['foreignHost'],
      setup: (_settings, kit: Kit) => ({
        begin: () => kit.state('calls', () => calls).push('begin'),
        express: {
          enter({ req, state }: ExpressVisit) {
            calls.push(`enter, ${state.foreignHost}`);
            return req.url?.endsWith('/b') ? 'whole-road' : 'next';
          },
        },
        handle(_ctx, next) {
          calls.push('handle');
          return next();
        },
        left: ({ state }) => calls.push(`left, ${state.outcome.status} ${state.outcome.cache}`),
        async dispose() {
          calls.push('dispose');
        },
      }),
    });
    const own = [recording, definePlugin({ ...plain, name: 'counting', setup: () => counting })];
    gateway = await runGateway({ core: content.core, own });
  });

  async function callsOf(path: string): Promise<string[]> {
    calls.length = 0;
    const before = counting.responses;
    expect((await fetchRaw(`${gateway.urls.http}/delivery${path}`)).status).to.equal(200);
    while (counting.responses === before) await pause(5);
    return [...calls];
  }

  it('is activated, passes requests on both paths, sees their end, and is disposed of', async () => {
    expect(calls).to.deep.equal(['begin']);
    expect(await callsOf(PATH)).to.deep.equal(['enter, undefined', 'handle', 'left, 200 miss']);
    expect(await callsOf(PATH)).to.deep.equal(['enter, undefined', 'left, 200 hit']);
    expect(await callsOf(OTHER)).to.deep.equal(['enter, undefined', 'handle', 'left, 200 miss']);
    expect(await callsOf(OTHER)).to.deep.equal(['enter, undefined', 'handle', 'left, 200 hit']);
    expect(counting.responses).to.equal(4);
    calls.length = 0;
    await gateway.end();
    expect(calls).to.deep.equal(['dispose']);
  });
});
