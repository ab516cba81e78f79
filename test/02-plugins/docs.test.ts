import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import Koa from 'koa';
import { coreOpenapi } from '../../core/compose/openapi.ts';
import { ServiceError } from '../../core/contract.ts';
import {
  type GatewayContext,
  type PluginServices,
  SURFACES,
  type SurfaceName,
} from '../../plugins/contract.ts';
import { plugin } from '../../plugins/docs/index.ts';
import { type Answer, conforms } from '../support/clients/openapi-conformance.ts';
import { runGateway } from '../support/gateway/run-gateway.ts';

let server: Server;
let origin: string;

/** The plugin alone behind a listener; bases are prefixes on the request's host by default. */
async function serve(
  settings: Record<string, unknown> = {},
  bases: Partial<Record<SurfaceName, string>> = {},
): Promise<void> {
  const services = { core: { openapi: () => coreOpenapi({ header: 'SVC', mediaType: 'service' }) } };
  const running = await plugin.setup(plugin.settings.parse(settings), services as unknown as PluginServices);
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.set('x-request-id', 'r-1');
    const here = SURFACES.map((name) => [name, `${ctx.protocol}://${ctx.host}/${name}`]);
    const path = ctx.path.replace(/^\/docs(?=\/|$)/, '').replace(/\/$/, '') || '/';
    Object.assign(ctx.state, {
      bases: { ...Object.fromEntries(here), ...bases },
      surface: { name: 'docs', path, query: ctx.querystring },
    });
    try {
      await running.handle?.(ctx as unknown as GatewayContext as never, async () => {});
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.body = { request_id: 'r-1', error_code: error.code, message: error.message };
    }
  });
  server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function call(path: string, init: RequestInit = {}): Promise<Answer & { headers: Headers }> {
  const url = `${origin}${path}`;
  const response = await fetch(url, init);
  const body = await response.text();
  const answer = {
    method: init.method ?? 'GET',
    url,
    status: response.status,
    headers: response.headers,
    body,
  };
  return answer;
}

const GUIDES = ['/docs/editors', '/docs/operators', '/docs/accessibility'];

describe('plugin docs', () => {
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('describes itself and everything else as valid OpenAPI 3.1 with the addresses of this request', async () => {
    await serve();
    const answer = await call('/docs/openapi.json');
    conforms(answer, 'docs');
    const document = JSON.parse(answer.body) as { servers: unknown; paths: object; openapi: string };
    expect(document.openapi).to.match(/^3\.1\./);
    expect(document.servers).to.deep.equal([{ url: origin }]);
    expect(Object.keys(document.paths)).to.include.members([
      '/delivery/{project_id}/items',
      '/docs',
      '/metrics',
    ]);
    expect((await new Validator().validate(document)).errors ?? []).to.deep.equal([]);
  });

  it('serves the page with a policy that allows no other origin', async () => {
    await serve();
    const answer = await call('/docs');
    conforms(answer, 'docs');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).to.include("default-src 'none'").and.include("script-src 'self'");
    expect(policy).not.to.include('unsafe');
    expect(answer.body).not.to.match(/\son\w+=|\sstyle=|<style|<script(?![^>]*src=)|https?:\/\//);
    expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('serves every file that the page and its modules name', async () => {
    await serve();
    const page = await call('/docs');
    const waiting = [...page.body.matchAll(/(?:src|href)="([^"#]+)"/g)].map((match) => match[1]!);
    const seen = new Set<string>();
    while (waiting.length > 0) {
      const path = waiting.pop()!;
      if (seen.has(path)) continue;
      seen.add(path);
      const answer = await call(path);
      expect(answer.status, path).to.equal(200);
      expect(answer.headers.get('content-type'), path).to.match(
        GUIDES.includes(path) ? /^text\/html/ : /^(text\/(css|javascript)|image\/svg|application\/json)/,
      );
      if (!path.endsWith('.mjs')) continue;
      for (const match of answer.body.matchAll(/from '\.\/([^']+)'/g)) waiting.push(`/docs/${match[1]}`);
    }
    expect([...seen].filter((path) => path.endsWith('.mjs'))).to.have.length(7);
  });

  it('serves pages for editors and operators with their images, which all have an alternative', async () => {
    await serve();
    const files = new Set<string>();
    const explorer = await call('/docs');
    for (const path of GUIDES) {
      expect(explorer.body).to.include(` href="${path}"`);
      const page = await call(path);
      expect(page.body).to.include(' href="/docs/"');
      expect(page.status, path).to.equal(200);
      expect(page.headers.get('content-type')).to.match(/^text\/html/);
      expect(page.headers.get('content-security-policy')).to.include("default-src 'none'");
      expect(page.body).not.to.match(/\{\{|\son\w+=|\sstyle=|<style|<script|https?:\/\//);
      for (const [image] of page.body.matchAll(/<img[^>]*>/g)) expect(image).to.match(/ alt="[^"]+"/);
      for (const match of page.body.matchAll(/(?:src|href)="([^"#]+)"/g)) files.add(match[1]!);
    }
    const images = [...files].filter((path) => path.endsWith('.webp'));
    expect(images).to.have.length.greaterThan(4);
    let bytes = 0;
    for (const path of files) {
      const file = await call(path);
      expect(file.status, path).to.equal(200);
      if (!images.includes(path)) continue;
      expect(file.headers.get('content-type'), path).to.equal('image/webp');
      bytes += Number(file.headers.get('content-length'));
    }
    expect(bytes).to.be.within(1000, 200_000);
  });

  it('answers 304 to a client that has the current file', async () => {
    await serve();
    for (const path of ['/docs', '/docs/openapi.json', '/docs/explorer.css']) {
      const etag = (await call(path)).headers.get('etag')!;
      const again = await call(path, { headers: { 'if-none-match': etag } });
      expect(again.status, path).to.equal(304);
      expect(again.body).to.equal('');
    }
  });

  it('answers HEAD like GET, other methods with 405, unknown files with 404', async () => {
    await serve();
    const head = await call('/docs', { method: 'HEAD' });
    expect([head.status, head.body]).to.deep.equal([200, '']);
    const post = await call('/docs', { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    for (const path of [
      '/docs/none.js',
      '/docs/../package.json',
      '/docs/%2e%2e/index.ts',
      '/docs/explorer.html',
    ]) {
      const answer = await call(path);
      expect(answer.status, path).to.equal(404);
    }
  });

  it('serves no page where the settings switch it off', async () => {
    await serve({ explorer: false });
    expect((await call('/docs')).status).to.equal(404);
    expect((await call('/docs/openapi.json')).status).to.equal(200);
  });

  it('shows the title of the settings as text, never as markup', async () => {
    await serve({ title: '<b>"Acme"</b>' });
    const { body } = await call('/docs');
    expect(body).to.include('&#60;b&#62;&#34;Acme&#34;&#60;/b&#62;');
    expect(body).not.to.include('<b>');
    const document = JSON.parse((await call('/docs/openapi.json')).body) as { info: { title: string } };
    expect(document.info.title).to.equal('<b>"Acme"</b>');
  });

  it('lets the page call surfaces that have a host of their own', async () => {
    await serve({}, { delivery: 'https://cdn.example.org/content' });
    const page = await call('/docs');
    expect(page.headers.get('content-security-policy')).to.include('https://cdn.example.org');
    expect((await call('/docs/openapi.json')).body).to.include('"/content/{project_id}/items"');
  });
});

describe('the description of the API', () => {
  it('is made once for requests with the same addresses', async () => {
    const gateway = await runGateway();
    try {
      let made = 0;
      const toJSON = () => {
        made += 1;
        return { title: 'Fake', version: '1' };
      };
      const described = await gateway.core.openapi();
      gateway.core.openapi = async () => ({ ...described, info: { toJSON } });
      const origins = ['127.0.0.1', '127.0.0.1', 'localhost', 'localhost'].map((host) =>
        gateway.urls.http.replace('127.0.0.1', host),
      );
      for (const address of origins) {
        const { servers } = await (await fetch(`${address}/docs/openapi.json`)).json();
        expect(servers).to.deep.equal([{ url: address }]);
      }
      expect(made).to.equal(2);
    } finally {
      await gateway.end();
    }
  });
});
