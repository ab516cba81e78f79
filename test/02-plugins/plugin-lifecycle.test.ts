import { expect } from 'chai';
import { dispose, healthOf, LIFECYCLE_TIMEOUTS, setUp } from '../../gateway/pipeline/plugin-lifecycle.ts';
import type { PartHealth, PluginInstance } from '../../plugins/contract.ts';
import { testServices } from '../support/gateway/plugin-services.ts';
import { runGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';
import { plain } from './fixtures/broken-plugins.ts';

const handle: PluginInstance['handle'] = (_ctx, next) => next();

async function failure(work: Promise<unknown>): Promise<Error> {
  const outcome = await work.catch((thrown: unknown) => thrown);
  expect(outcome).to.be.instanceOf(Error);
  return outcome as Error;
}

describe('a plugin that cannot serve', () => {
  const services = testServices().servicesFor('odd');

  const useless: [string, unknown][] = [
    ['nothing', undefined],
    ['no handler', { dispose: async () => {} }],
  ];
  for (const [what, made] of useless) {
    it(`is one whose setup returns ${what}`, async () => {
      const error = await failure(
        setUp(plain('odd', { setup: () => made as PluginInstance }), {}, services, LIFECYCLE_TIMEOUTS),
      );
      expect(error.message).to.equal("its setup returns no function 'handle'");
    });
  }

  it('is disposed of where it is refused', async () => {
    let disposed = false;
    const refused = {
      dispose: async () => {
        disposed = true;
      },
    };
    await failure(setUp(plain('odd', { setup: () => refused }), {}, services, LIFECYCLE_TIMEOUTS));
    await until(() => disposed);
  });

  for (const [former, name] of [
    ['begin', 'activate'],
    ['left', 'onResponse'],
    ['express', 'onRequest'],
  ] as const) {
    it(`is one with '${former}', the former name of '${name}'`, async () => {
      const plugin = plain('odd', { setup: () => ({ handle, [former]: () => {} }) as PluginInstance });
      const error = await failure(setUp(plugin, {}, services, LIFECYCLE_TIMEOUTS));
      expect(error.message).to.equal(
        `its setup returns '${former}', which is called '${name}' since version 0.2.0`,
      );
    });
  }

  it("is one with an asynchronous 'onRequest', which nothing would wait for", async () => {
    const plugin = plain('odd', {
      setup: () => ({ handle, onRequest: async () => 'handle' }) as unknown as PluginInstance,
    });
    const error = await failure(setUp(plugin, {}, services, LIFECYCLE_TIMEOUTS));
    expect(error.message).to.equal("its 'onRequest' is asynchronous; what has to wait belongs in 'handle'");
  });

  it('is one that is not ready in time; a late instance is disposed of', async () => {
    let disposed = false;
    let makeReady = () => {};
    const ready = new Promise<void>((resolve) => {
      makeReady = resolve;
    });
    const slow = plain('slow', {
      async setup() {
        await ready;
        return {
          handle: (_ctx, next) => next(),
          dispose: async () => {
            disposed = true;
          },
        };
      },
    });
    const error = await failure(setUp(slow, {}, services, { ...LIFECYCLE_TIMEOUTS, setup: 10 }));
    expect(error.message).to.equal('it was not ready within 0.01 s');
    expect(disposed).to.equal(false);
    makeReady();
    await until(() => disposed);
  });
});

describe('a plugin that is set up and then misbehaves', () => {
  const sick: [string, () => Promise<PartHealth>, string][] = [
    [
      'throws',
      () => {
        throw new Error('no pulse');
      },
      'no pulse',
    ],
    ['rejects', () => Promise.reject(new Error('no breath')), 'no breath'],
    ['never answers', () => new Promise(() => {}), 'it did not answer within 0.01 s'],
    ['returns nothing', async () => undefined as unknown as PartHealth, "its health has no 'ok'"],
  ];
  for (const [what, health, detail] of sick) {
    it(`is unhealthy when its health ${what}`, async () => {
      const reported = await healthOf({ handle, health }, { ...LIFECYCLE_TIMEOUTS, health: 10 });
      expect(reported).to.deep.equal({ ok: false, detail });
    });
  }

  it('does not delay shutdown', async () => {
    const stuck = { handle, dispose: () => new Promise<void>(() => {}) };
    const error = await failure(dispose(stuck, { ...LIFECYCLE_TIMEOUTS, dispose: 10 }));
    expect(error.message).to.equal('it did not end within 0.01 s');
  });

  it('does not break the health page and the metrics', async () => {
    const witness = plain('witness', { setup: () => ({ handle, health: sick[0]![1] }) });
    const gateway = await runGateway({ own: [witness] });
    expect((await fetch(`${gateway.urls.http}/health/ready`)).status).to.equal(503);
    const page = await fetch(`${gateway.urls.http}/metrics`);
    expect(await page.text()).to.include('headwater_gateway_part_ok{part="witness"} 0');
    await gateway.end();
  });

  for (const hook of ['onResponse', 'activate', 'stopping'] as const) {
    it(`does not end the service where its ${hook} rejects, and the log names it`, async () => {
      const sick = plain('sick', {
        surfaces: ['docs'],
        setup: () => ({ handle, [hook]: () => Promise.reject(new Error('no breath')) }),
      });
      const gateway = await runGateway({ own: [sick] });
      await fetch(`${gateway.urls.http}/docs`);
      await gateway.end();
      await until(() => gateway.lines.some(({ level }) => level === 'error'));
      const { fields, text } = gateway.lines.find(({ level }) => level === 'error')!;
      expect(fields).to.include({ plugin: 'sick' });
      expect(text).to.match(/^A plugin failed /);
    });
  }

  it('does not break the metrics of others where some of its own cannot be read, and logs each once', async () => {
    const sick = plain('sick', {
      setup(_settings, { metrics }) {
        metrics.gauge('pulse', 'Pulse.', [], () => {
          throw new Error('no pulse');
        });
        metrics.counter('breaths', 'Breaths.', [], () => Promise.reject(new Error('no breath')));
        return { handle };
      },
    });
    const gateway = await runGateway({ own: [sick] });
    for (let page = 0; page < 2; page += 1) {
      const { status, text } = await fetch(`${gateway.urls.http}/metrics`).then(async (answer) => ({
        status: answer.status,
        text: await answer.text(),
      }));
      expect(status).to.equal(200);
      expect(text).to.include('headwater_gateway_connections{');
    }
    expect(gateway.lines.filter(({ level }) => level === 'error')).to.have.length(2);
    await gateway.end();
  });
});

describe('a plugin that is an instance of a class', () => {
  it('is that instance in all of its hooks', async () => {
    class Witness implements PluginInstance {
      readonly seen: string[] = [];
      onRequest() {
        this.seen.push('onRequest');
        return 'handle' as const;
      }
      handle(_ctx: unknown, next: () => Promise<void>) {
        this.seen.push('handle');
        return next();
      }
      onResponse() {
        this.seen.push('onResponse');
      }
    }
    const witness = new Witness();
    const own = plain('witness', { surfaces: ['docs'], setup: () => witness });
    const gateway = await runGateway({ own: [own] });
    await fetch(`${gateway.urls.http}/docs`);
    await gateway.end();
    expect(witness.seen).to.deep.equal(['onRequest', 'handle', 'onResponse']);
  });
});
