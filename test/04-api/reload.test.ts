import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import { ConfigError } from '../../config/problem.ts';
import { StartError } from '../../config/start-error.ts';
import { loadCertificate } from '../../gateway/listeners/certificate.ts';
import { definePlugin, type Plugin } from '../../plugins/contract.ts';
import { get, open, parseAnswer, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { type ReloadableService, reloadableService } from '../support/gateway/reloadable-service.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { runCommand } from '../support/service/run-command.ts';
import { HeadwaterProcess, IN_PLACE, runHeadwater } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

/** A plugin outside the repository has its own dependencies. */
const ZOD = pathToFileURL(createRequire(import.meta.url).resolve('zod')).href;
/** While that many requests are answered. */
const RELOADS = isLongForm ? 60 : 6;
const REQUESTS = 50 * RELOADS;
const ITEMS = `/delivery/${PROJECTS.open}/items`;

/** `Access-Control-Max-Age`: a setting that responses show. */
async function preflightAge(url: string): Promise<string | null> {
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
  const answer = await fetch(`${url}${ITEMS}`, { method: 'OPTIONS', headers });
  return answer.headers.get('access-control-max-age');
}

async function failure(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(Error);
  return error as Error;
}

describe('a reload', () => {
  let service: ReloadableService;
  beforeEach(async () => {
    service = await reloadableService();
  });
  afterEach(() => service.end());

  it('applies the files and lists the changed settings', async () => {
    expect(await preflightAge(service.url)).to.equal('7200');
    await service.write('plugins/cors.yaml', 'maxAgeSeconds: 77\n');
    const { changed, waiting } = await service.reload();
    expect(changed).to.deep.equal(['plugins.cors.maxAgeSeconds']);
    expect(waiting).to.deep.equal([]);
    expect(await preflightAge(service.url)).to.equal('77');
    await service.remove('plugins/cors.yaml');
    expect((await service.reload()).changed).to.deep.equal(['plugins.cors.maxAgeSeconds']);
    expect(await preflightAge(service.url)).to.equal('7200');
    expect((await service.reload()).changed).to.deep.equal([]);
  });

  it('moves surfaces, proxies and plugins', async () => {
    await service.write(
      'headwater.yaml',
      'surfaces: {docs: {prefix: /manual}}\ntrustedProxies: [127.0.0.1]\npipeline: {off: [cors]}\n',
    );
    await service.reload();
    expect((await fetch(`${service.url}/manual/openapi.json`)).status).to.equal(200);
    expect((await fetch(`${service.url}/docs/openapi.json`)).status).to.equal(404);
    expect(await preflightAge(service.url)).to.equal(null);
    const forwarded = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' };
    expect((await rawRequest(service.url, get('/docs', forwarded))).status).to.equal(404);
    expect((await rawRequest(service.url, get('/manual', forwarded))).status).to.equal(200);
  });

  it('names the settings that need a restart, and applies the rest', async () => {
    const file = 'host: 127.0.0.9\ndrainSeconds: 2\nvendor: {header: [ACME]}\nretention: {changeDays: 3}\n';
    await service.write('headwater.yaml', file);
    await service.write('plugins/cors.yaml', 'maxAgeSeconds: 78\n');
    for (let round = 0; round < 2; round += 1) {
      const { waiting } = await service.reload();
      expect(waiting.map(({ path }) => path)).to.have.members([
        'host',
        'vendor.header',
        'retention.changeDays',
      ]);
    }
    expect(await preflightAge(service.url)).to.equal('78');
  });

  const faults: [string, string, string, RegExp][] = [
    ['a value that is none', 'plugins/cors.yaml', 'maxAgeSeconds: soon\n', /cors\.yaml:1/],
    ['a setting that is none', 'headwater.yaml', 'drainSecond: 3\n', /headwater\.yaml:1.*drainSeconds/s],
    ['YAML that is none', 'headwater.yaml', 'a: [\n', /headwater\.yaml:.*not valid YAML/s],
    ['a file for no plugin', 'plugins/kors.yaml', 'a: 1\n', /kors\.yaml/],
    ['plugins that contradict each other', 'headwater.yaml', 'pipeline: {off: [project]}\n', /'project'/],
    ['a plugin that is not there', 'headwater.yaml', 'pipeline: {own: [./none.mjs]}\n', /none\.mjs/],
    ['a plugin that does not start', 'plugins/access-log.yaml', 'file: /nowhere/a.log\n', /'access-log'/],
    ['a certificate that is none', 'headwater.yaml', 'tls: {certificate: a, key: b}\n', /\/a cannot be read/],
  ];
  for (const [what, file, text, message] of faults) {
    it(`with ${what} changes nothing and reports it`, async () => {
      await service.write('plugins/cors.yaml', 'maxAgeSeconds: 79\n');
      await service.reload();
      await service.write('headwater.yaml', 'allowedHosts: [new.example]\n');
      await service.write(file, text);
      const error = await failure(service.reload());
      expect(error instanceof ConfigError || error instanceof StartError, String(error)).to.equal(true);
      expect(error.message).to.match(message);
      expect(await preflightAge(service.url)).to.equal('79');
      const answer = await rawRequest(service.url, get('/docs/openapi.json', { Host: 'new.example' }));
      expect(answer.status).to.equal(421);
      // With the fault fixed, it works.
      await service.remove(file);
      await service.write('plugins/cors.yaml', 'maxAgeSeconds: 80\n');
      await service.reload();
      expect(await preflightAge(service.url)).to.equal('80');
    });
  }

  it('drops none of hundreds of requests on connections that stay open', async () => {
    // The project does not exist, so every response is the documented 404, through all the plugins.
    const agent = new Agent({ keepAlive: true, maxSockets: 24 });
    const statuses = new Map<string, number>();
    const ports = new Set<number>();
    let answered = 0;
    let running = true;
    const clients = Array.from({ length: 24 }, async () => {
      while (running) {
        const status = await ask(agent, service.url + ITEMS, ports);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        answered += 1;
        // Some are always under way; as many as the machine can handle would show no more.
        await pause(10);
      }
    });
    for (let round = 1; round <= RELOADS; round += 1) {
      await service.write('plugins/cors.yaml', `maxAgeSeconds: ${round}\n`);
      await service.write('headwater.yaml', round % 2 ? 'pipeline: {off: [cors]}\n' : 'logLevel: error\n');
      await service.reload();
      await until(() => answered > (round * REQUESTS) / RELOADS);
    }
    running = false;
    await Promise.all(clients);
    agent.destroy();
    expect([...statuses.keys()]).to.deep.equal(['404']);
    expect(statuses.get('404')).to.be.above(REQUESTS);
    // No connection was closed: there is one for each client.
    expect(ports.size).to.equal(24);
  });

  it('keeps the values of metrics', async () => {
    const count = async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      const line = /^headwater_metrics_requests_total\{surface="docs",method="GET",status="200"\} (\d+)/m;
      return Number(line.exec(text)?.[1] ?? 0);
    };
    await fetch(`${service.url}/docs`);
    const before = await count();
    expect(before).to.be.above(0);
    await service.reload();
    await fetch(`${service.url}/docs`);
    expect(await count()).to.equal(before + 1);
  });

  it('loads a changed plugin of the operator', async () => {
    const source = (word: string) =>
      `import { z } from ${JSON.stringify(ZOD)};
       export const plugin = { name: 'greeter', phase: 'edge', surfaces: ['docs'], settings: z.strictObject({}),
         setup: () => ({ handle(ctx, next) { ctx.set('x-greeting', '${word}'); return next(); } }) };`;
    const greeting = async () => (await fetch(`${service.url}/docs`)).headers.get('x-greeting');
    await service.write('greeter.mjs', source('hello'));
    await service.write('headwater.yaml', 'pipeline: {own: [./greeter.mjs]}\n');
    await service.reload();
    expect(await greeting()).to.equal('hello');
    await pause(10);
    await service.write('greeter.mjs', source('good day'));
    await service.reload();
    expect(await greeting()).to.equal('good day');
    await service.write('headwater.yaml', '');
    await service.reload();
    expect(await greeting()).to.equal(null);
  });

  it('loads a plugin that failed to load before, once its fault is fixed', async () => {
    const lacking = './words.mjs';
    const source = `import { word } from ${JSON.stringify(lacking)};
      export const plugin = { name: 'greeter', phase: 'edge', surfaces: ['docs'], settings: (z) => z.strictObject({}),
        setup: () => ({ handle(ctx, next) { ctx.set('x-greeting', word); return next(); } }) };`;
    await service.write('greeter.mjs', source);
    await service.write('headwater.yaml', 'pipeline: {own: [./greeter.mjs]}\n');
    expect((await failure(service.reload())).message).to.include('words.mjs');
    await service.write(lacking, "export const word = 'hello';");
    await service.reload();
    expect((await fetch(`${service.url}/docs`)).headers.get('x-greeting')).to.equal('hello');
  });

  it('that a plugin blocks does not block a shutdown', async () => {
    const endless = `export const plugin = { name: 'endless', phase: 'edge', surfaces: ['docs'],
      settings: (z) => z.strictObject({}), setup: () => new Promise(() => {}) };`;
    await service.write('endless.mjs', endless);
    await service.write('headwater.yaml', 'pipeline: {own: [./endless.mjs]}\n');
    service.reload().catch(() => {});
    await pause(100);
    const began = performance.now();
    await service.end();
    expect(performance.now() - began).to.be.below(5000);
    service = await reloadableService();
  });

  it('waits for the one before', async () => {
    await service.write('plugins/cors.yaml', 'maxAgeSeconds: 81\n');
    const results = await Promise.all(Array.from({ length: 4 }, () => service.reload()));
    expect(results.map(({ changed }) => changed.length)).to.deep.equal([1, 0, 0, 0]);
    expect(await preflightAge(service.url)).to.equal('81');
  });
});

describe('the pipeline that a reload replaces', () => {
  let gateway: TestGateway;
  let events: string[];
  let release: () => void;
  const plugin = (name: string): Plugin =>
    definePlugin({
      name: 'witness',
      phase: 'edge',
      surfaces: ['delivery'],
      settings: z.strictObject({}),
      setup() {
        events.push(`${name} begins`);
        return {
          async handle(ctx, next) {
            ctx.set('x-witness', name);
            await next();
          },
          dispose: async () => {
            events.push(`${name} ends`);
          },
        };
      },
    });
  const reload = (...own: Plugin[]) => gateway.reloadWith({ own });

  beforeEach(async () => {
    events = [];
    gateway = await runGateway({ own: [plugin('first')], tls: true });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    gateway.core.answer = async ({ query }) => {
      if (query === 'skip=9') await held;
      return json({ ok: true });
    };
  });
  afterEach(() => gateway.end());

  for (const scheme of ['http', 'https'] as const) {
    it(`finishes its requests over ${scheme}, and only then ends`, async () => {
      const socket = await open(gateway.urls[scheme] ?? '');
      const answer = readAll(socket);
      socket.write(get(`${ITEMS}?skip=9`));
      while (gateway.core.requests.length === 0) await pause(2);
      await reload(plugin('second'));
      expect((await rawRequest(gateway.urls.http, get(ITEMS))).headers['x-witness']).to.equal('second');
      await pause(50);
      expect(events).to.deep.equal(['first begins', 'second begins']);
      release();
      expect(parseAnswer(await answer).headers['x-witness']).to.equal('first');
      await until(() => events.length > 2);
      expect(events).to.deep.equal(['first begins', 'second begins', 'first ends']);
    });
  }

  it('finishes HTTP/2 streams; the session continues with the next pipeline', async () => {
    const session = connectHttp2(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const slow = session.request({ ':path': `${ITEMS}?skip=9` });
    slow.resume();
    while (gateway.core.requests.length === 0) await pause(2);
    await reload(plugin('second'));
    const fast = session.request({ ':path': ITEMS });
    fast.resume();
    const [headers] = (await once(fast, 'response')) as [Record<string, string>];
    expect(headers['x-witness']).to.equal('second');
    const response = once(slow, 'response');
    expect(events).to.not.include('first ends');
    release();
    const [late] = (await response) as [Record<string, string>];
    expect(late['x-witness']).to.equal('first');
    session.close();
    await until(() => events.includes('first ends'));
  });

  it('ends at once where no request runs, and after a client has disconnected', async () => {
    await reload(plugin('second'));
    await until(() => events.at(-1) === 'first ends');
    const socket = await open(gateway.urls.http);
    socket.write(get(`${ITEMS}?skip=9`));
    while (gateway.core.requests.length === 0) await pause(2);
    await reload(plugin('third'));
    expect(events).to.not.include('second ends');
    socket.destroy();
    await until(() => events.includes('second ends'));
    release();
  });

  it('stays where the new one cannot be set up, whose plugins are disposed of', async () => {
    const broken = definePlugin({
      name: 'broken',
      phase: 'forward',
      surfaces: ['delivery'],
      settings: z.strictObject({}),
      setup() {
        throw new Error('no oil');
      },
    });
    const error = await failure(reload(plugin('second'), broken));
    expect(error.message).to.equal("The plugin 'broken' does not start: no oil.");
    expect(events).to.deep.equal(['first begins', 'second begins', 'second ends']);
    expect((await rawRequest(gateway.urls.http, get(ITEMS))).headers['x-witness']).to.equal('first');
  });

  it('resets a metric that a changed plugin defines differently under the same name', async () => {
    const counting = (labels: readonly string[]) =>
      definePlugin({
        name: 'counting',
        phase: 'edge',
        surfaces: ['delivery'],
        settings: z.strictObject({}),
        setup(_settings, services) {
          const calls = services.metrics.counter('calls_total', 'Calls.', labels);
          return {
            handle(_ctx, next) {
              calls.inc(Object.fromEntries(labels.map((label) => [label, 'x'])));
              return next();
            },
          };
        },
      });
    for (const labels of [[], ['kind'], ['kind']]) {
      await reload(counting(labels));
      expect((await rawRequest(gateway.urls.http, get(ITEMS))).status).to.equal(200);
    }
    const text = (await rawRequest(gateway.urls.http, get('/metrics'))).body;
    expect(text).to.match(/^headwater_counting_calls_total\{kind="x"\} 2$/m);
  });

  it('is not replaced once the service stops, and the new one is disposed of', async () => {
    const steps = { ready: () => {}, begun: false };
    const slow: Plugin = {
      ...plugin('slow'),
      async setup() {
        await new Promise<void>((resolve) => {
          Object.assign(steps, { ready: resolve, begun: true });
        });
        return {
          handle: (_ctx, next) => next(),
          dispose: async () => {
            events.push('slow ends');
          },
        };
      },
    };
    const reloading = failure(reload(slow));
    while (!steps.begun) await pause(2);
    await gateway.close();
    steps.ready();
    expect((await reloading).message).to.equal('The service is stopping.');
    expect(events).to.deep.equal(['first begins', 'first ends', 'slow ends']);
  });

  it('keeps its state, also where the new one fails after its caches were set up', async () => {
    const address = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' };
    const settings = { trustedProxies: ['127.0.0.1'] };
    const auth = { failures: { perMinute: 2 } };
    const failing = definePlugin({
      name: 'failing',
      phase: 'forward',
      surfaces: ['delivery'],
      settings: z.strictObject({}),
      setup() {
        throw new Error('too late');
      },
    });
    gateway.core.answer = async () => ({ ...json({ ok: true }), tags: ['item:a'], sequence: 1 });
    const verdict = async () =>
      (await rawRequest(gateway.urls.http, get(ITEMS, address))).headers['cache-status'];
    const guess = async () => {
      const headers = { ...address, Authorization: 'Bearer wrong' };
      return (await rawRequest(gateway.urls.http, get(`/preview/${PROJECTS.open}/items`, headers))).status;
    };
    await gateway.reloadWith({ settings, plugins: { auth } });
    expect(await verdict()).to.include('stored');
    expect([await guess(), await guess(), await guess()]).to.deep.equal([401, 401, 429]);

    const other = { 'response-cache': { browserSeconds: 9, maxBytes: 2_000_000 }, auth: { failures: {} } };
    await failure(gateway.reloadWith({ settings, plugins: other, own: [failing] }));
    expect(await verdict()).to.include('hit');
    expect(await guess()).to.equal(429);

    await gateway.reloadWith({ settings, plugins: { auth } });
    expect(await verdict()).to.include('hit');
    expect(await guess()).to.equal(429);
    // Entries contain their headers, so other settings need new entries.
    await gateway.reloadWith({ settings, plugins: { ...other, auth } });
    expect(await verdict()).to.include('stored');
  });

  it('leaves what is measured to the one before where the new one fails', async () => {
    const measuring = (value: number) =>
      definePlugin({
        name: 'measuring',
        phase: 'edge',
        surfaces: ['delivery'],
        settings: z.strictObject({}),
        setup(_settings, { metrics }) {
          metrics.gauge('value', 'Value.', [], () => value);
          return { handle: (_ctx, next) => next() };
        },
      });
    const broken = definePlugin({
      name: 'broken',
      phase: 'forward',
      surfaces: ['delivery'],
      settings: z.strictObject({}),
      setup() {
        throw new Error('too late');
      },
    });
    const measured = async () =>
      /^headwater_measuring_value (\d)$/m.exec(
        (await rawRequest(gateway.urls.http, get('/metrics'))).body,
      )?.[1];
    await reload(measuring(1));
    await failure(reload(measuring(2), broken));
    expect(await measured()).to.equal('1');
    await reload(measuring(3));
    expect(await measured()).to.equal('3');
  });

  it('leaves the counts of requests to the one before where the new one fails', async () => {
    const broken = definePlugin({
      name: 'broken',
      phase: 'forward',
      surfaces: ['delivery'],
      settings: z.strictObject({}),
      setup() {
        throw new Error('too late');
      },
    });
    await failure(reload(broken));
    await rawRequest(gateway.urls.http, get(ITEMS));
    const { body } = await rawRequest(gateway.urls.http, get('/metrics'));
    expect(body).to.match(/^headwater_metrics_requests_total\{surface="delivery",.*\} 1$/m);
  });

  it('is disposed of once when the service stops in the middle of it', async () => {
    const socket = await open(gateway.urls.http);
    const answer = readAll(socket);
    socket.write(get(`${ITEMS}?skip=9`));
    while (gateway.core.requests.length === 0) await pause(2);
    await reload(plugin('second'));
    const closing = gateway.close();
    release();
    expect(parseAnswer(await answer).headers['x-witness']).to.equal('first');
    await closing;
    expect(events.filter((event) => event.endsWith('ends')).sort()).to.deep.equal([
      'first ends',
      'second ends',
    ]);
  });
});

describe('the certificate at a reload', () => {
  it('is the new one for the next handshake; open sessions stay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-renewed-'));
    const gateway = await runGateway({ tls: true });
    const url = gateway.urls.https ?? '';
    const fingerprint = (options: ConnectionOptions = {}) =>
      new Promise<string>((resolve, reject) => {
        const port = Number(new URL(url).port);
        const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.destroy();
        });
        socket.once('error', reject);
      });
    const session = connectHttp2(url, { rejectUnauthorized: false });
    await once(session, 'connect');
    const before = await fingerprint();
    const none = { certificate: null, key: null };
    const made = await loadCertificate(none, { dataDir: folder, names: ['localhost'], now: new Date() });
    await mkdir(folder, { recursive: true });
    const tls = { certificate: join(folder, 'c.pem'), key: join(folder, 'k.pem') };
    await writeFile(tls.certificate, made.cert);
    await writeFile(tls.key, made.key);
    await gateway.reloadWith({ settings: { tls } });
    const after = await fingerprint();
    expect(after).to.not.equal(before);
    expect(await fingerprint({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).to.equal(after);
    const stream = session.request({ ':path': ITEMS });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).to.equal(200);
    stream.close();
    // A mismatched pair: the key of another certificate.
    const otherFolder = await mkdtemp(join(tmpdir(), 'headwater-renewed-'));
    const other = await loadCertificate(none, {
      dataDir: otherFolder,
      names: ['localhost'],
      now: new Date(),
    });
    await writeFile(tls.key, other.key);
    const error = await failure(gateway.reloadWith({ settings: { tls } }));
    expect(error.message).to.include('is not the one of the certificate');
    expect(await fingerprint()).to.equal(after);
    session.close();
    await gateway.end();
    await Promise.all([folder, otherFolder].map((path) => rm(path, { recursive: true })));
  });
});

describe('headwater reload', () => {
  it('and SIGHUP reload the running service; the exit code has the result', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-reload-'));
    await mkdir(join(folder, 'plugins'));
    const cors = (seconds: string) =>
      writeFile(join(folder, 'plugins/cors.yaml'), `maxAgeSeconds: ${seconds}\n`);
    const environment = {
      ...IN_PLACE,
      HEADWATER_DATA_DIR: join(folder, 'data'),
      HEADWATER_CONFIG: folder,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
    };
    const missing = await runCommand(['reload'], environment);
    expect(missing.code).to.equal(1);
    expect(missing.err).to.include('No service runs on the data folder');

    const service = new HeadwaterProcess(['serve'], environment);
    const [, url = ''] = await service.printed(/delivery\s+(http:\/\/127\.0\.0\.1:\d+)\/delivery/);
    await cors('91');
    const done = await runHeadwater(['reload'], environment);
    expect(done).to.deep.include({ code: 0, out: 'Reloaded: plugins.cors.maxAgeSeconds.\n' });
    expect(await preflightAge(url)).to.equal('91');

    await cors('never');
    const refused = await runCommand(['reload'], environment);
    expect(refused.code).to.equal(1);
    expect(refused.err).to.include('cors.yaml:1');
    service.signal('SIGHUP');
    await until(() => service.err.includes('The configuration was not reloaded'));
    expect(await preflightAge(url)).to.equal('91');

    await cors('92');
    await writeFile(join(folder, 'headwater.yaml'), 'dataDir: elsewhere\nsample: true\nrole: all\n');
    service.signal('SIGHUP');
    await until(async () => (await preflightAge(url)) === '92');
    // The environment still sets the data folder, so the folder in the file needs no restart.
    expect((await runCommand(['reload'], environment)).out).to.equal('Reloaded; no setting is different.\n');

    await appendFile(join(folder, 'headwater.yaml'), 'cores: [localhost:8091]\n');
    const warned = await runCommand(['reload'], environment);
    expect(warned.out).to.equal('Reloaded; no setting is different.\n');
    expect(warned.err.match(/cores has no effect, since role is all/g)).to.have.length(1);

    await appendFile(
      join(folder, 'headwater.yaml'),
      'slowMilliseconds: 5\npublishing: {allowInvalid: true}\n',
    );
    expect((await runCommand(['reload'], environment)).out).to.match(
      /^Needs a restart: publishing\.allowInvalid \(.*\)\nReloaded; no other setting is different\.\n$/,
    );

    service.signal('SIGTERM');
    const ended = await service.ended;
    expect(ended.code).to.equal(0);
    expect(ended.err)
      .to.include('The configuration was reloaded')
      .and.to.include('The configuration was not reloaded');
    await rm(folder, { recursive: true });
  });
});

describe('SIGHUP before the service runs', () => {
  longTest('reloads once it runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-early-'));
    await writeFile(join(folder, 'headwater.yaml'), 'pipeline: { own: [./slow.mjs] }\n');
    await writeFile(
      join(folder, 'slow.mjs'),
      `import { existsSync, writeFileSync } from 'node:fs';
       writeFileSync(new URL('loading', import.meta.url), '');
       while (!existsSync(new URL('go', import.meta.url))) await new Promise((go) => setTimeout(go, 20));
       export const plugin = {
         name: 'slow', phase: 'edge', surfaces: ['docs'],
         settings: (z) => z.strictObject({}), setup: () => ({ handle: (ctx, next) => next() }),
       };`,
    );
    const service = new HeadwaterProcess(['serve'], {
      HEADWATER_DATA_DIR: join(folder, 'data'),
      HEADWATER_CONFIG: folder,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
    });
    await until(() => existsSync(join(folder, 'loading')));
    service.signal('SIGHUP');
    await mkdir(join(folder, 'plugins'));
    await writeFile(join(folder, 'plugins/cors.yaml'), 'maxAgeSeconds: 91\n');
    await writeFile(join(folder, 'go'), '');
    const [, url = ''] = await service.printed(/delivery\s+(http:\/\/127\.0\.0\.1:\d+)\/delivery/);
    await until(async () => (await preflightAge(url)) === '91');
    service.signal('SIGTERM');
    expect((await service.ended).code).to.equal(0);
    await rm(folder, { recursive: true });
  });
});

function ask(agent: Agent, url: string, ports: Set<number>): Promise<string> {
  return new Promise((resolve) => {
    const call = request(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(String(answer.statusCode)));
      answer.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'broken'));
    });
    call.once('socket', (socket) => {
      const note = () => ports.add(socket.localPort ?? 0);
      if (socket.localPort === undefined) socket.once('connect', note);
      else note();
    });
    call.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end();
  });
}
