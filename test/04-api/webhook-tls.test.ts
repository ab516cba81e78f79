import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { generate } from 'selfsigned';
import { AddressGuard } from '../../core/webhooks/send/address-guard.ts';
import { Connections } from '../../core/webhooks/send/connections.ts';
import { createSend, type ReceiverResponse } from '../../core/webhooks/send/send.ts';

describe('sending a notification over TLS', () => {
  let server: Server;
  let authority: string;
  const asked: { host: string | undefined; name: string | false | null | undefined }[] = [];

  before(async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'hooks.example' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'hooks.example' }] },
      ],
    });
    authority = cert;
    server = createServer({ key, cert }, (request, response) => {
      asked.push({ host: request.headers.host, name: (request.socket as TLSSocket).servername });
      request.resume();
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function send(host: string, trusted?: string): Promise<ReceiverResponse> {
    const connections = new Connections(trusted);
    const guard = new AddressGuard(['127.0.0.0/8'], async () => [{ address: '127.0.0.1', family: 4 }]);
    const { port } = server.address() as AddressInfo;
    try {
      return await createSend({ guard, connections, timeout: 5000 })({
        url: `https://${host}:${port}/`,
        headers: {},
        body: Buffer.from('{}'),
      });
    } finally {
      connections.close();
    }
  }

  it('trusts the authority of the setting, and verifies the host name of the URL at the checked address', async () => {
    expect(await send('hooks.example', authority)).to.include({ accepted: true, status: 204 });
    expect(asked.at(-1)?.name).to.equal('hooks.example');
    expect(asked.at(-1)?.host).to.match(/^hooks\.example:\d+$/);
  });

  it('refuses untrusted certificates and those of another name, whatever the environment says', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const count = asked.length;
      for (const answer of [await send('hooks.example'), await send('other.example', authority)]) {
        expect(answer).to.include({ accepted: false, status: null });
        expect(answer.error).to.match(/^The certificate of the host is not valid \([A-Z_]+\)\.$/);
      }
      expect(asked.length).to.equal(count);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});
