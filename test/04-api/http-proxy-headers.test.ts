/** The exception for clients on this machine holds for direct requests only. */
import { connect } from 'node:http2';
import { expect } from 'chai';
import { hasProxyHeader } from '../../gateway/request/proxy-headers.ts';
import { get, rawRequest } from '../support/clients/raw-http.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const FORWARDING = [
  'Forwarded',
  'Via',
  'CDN-Loop',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'X-Forwarded-Server',
  'X-Forwarded-Scheme',
  'X-Forwarded-Ssl',
  'X-Forwarded-Prefix',
  'X-Forwarded',
  'X-Original-Forwarded-For',
  'X-Original-Host',
  'X-Real-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'Fly-Client-IP',
  'X-Envoy-External-Address',
  'X-Azure-ClientIP',
  'X-Azure-SocketIP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'CF-Ray',
  'Fastly-Client-IP',
  'CloudFront-Viewer-Address',
  'X-Vercel-Forwarded-For',
  'X-Nf-Client-Connection-Ip',
  'DO-Connecting-IP',
  'X-Appengine-User-Ip',
  'X-Arr-SSL',
  'WL-Proxy-Client-IP',
];
/** Headers that browsers, client libraries and tracing send directly. */
const DIRECT = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'forward',
  'host',
  'if-none-match',
  'origin',
  'range',
  'referer',
  'sec-fetch-site',
  'traceparent',
  'transfer-encoding',
  'user-agent',
  'x-continuation',
  'x-requested-with',
  'x-request-id',
  'x-svc-sdkid',
  'x-svc-wait-for-loading-new-content',
  'x-authorization',
  'x-api-key',
];

describe('headers of proxies', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ tls: true, plugins: { 'https-only': { required: false } } });
  });
  after(() => gateway.end());

  for (const name of FORWARDING) {
    it(`${name} ends the exception for this machine, whatever its value`, async () => {
      for (const value of ['127.0.0.1', '', '203.0.113.9']) {
        const { status } = await rawRequest(gateway.urls.http, get('/metrics', { [name]: value }));
        expect(status, value).to.equal(401);
      }
    });
  }

  it('end it over HTTP/2 too', async () => {
    const session = connect(gateway.urls.https ?? '', { rejectUnauthorized: false });
    const status = (headers: Record<string, string>) =>
      new Promise<unknown>((resolve, reject) => {
        const stream = session.request({ ':path': '/metrics', ...headers });
        stream.on('response', (answer) => resolve(answer[':status']));
        stream.on('error', reject);
        stream.resume();
      });
    expect(await status({})).to.equal(200);
    for (const name of FORWARDING) {
      expect(await status({ [name.toLowerCase()]: '127.0.0.1' }), name).to.equal(401);
    }
    session.close();
  });

  it('do not include headers that clients send themselves', async () => {
    for (const name of DIRECT) expect(hasProxyHeader({ [name]: 'a' }), name).to.equal(false);
    const { status } = await rawRequest(
      gateway.urls.http,
      get('/metrics', { 'X-SVC-SDKID': 'a', Origin: 'b' }),
    );
    expect(status).to.equal(200);
  });
});
