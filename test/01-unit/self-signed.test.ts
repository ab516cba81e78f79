import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { createSelfSigned } from '../../gateway/listeners/self-signed.ts';

const NAMES = ['localhost', 'a.example.org', '127.0.0.1', '10.1.2.3', '::1', '2001:db8::7', '::ffff:1.2.3.4'];
const VALIDITY = { from: new Date('2026-01-02T03:04:05Z'), until: new Date('2036-01-02T03:04:05Z') };

describe('a self-signed certificate', () => {
  it('has its names, times and key, and is signed by it', async () => {
    const { cert, key } = await createSelfSigned([...NAMES, 'localhost'], VALIDITY);
    const parsed = new X509Certificate(cert);
    expect(parsed.checkPrivateKey(createPrivateKey(key))).to.equal(true);
    expect(parsed.verify(parsed.publicKey)).to.equal(true);
    expect(parsed.ca).to.equal(false);
    expect([new Date(parsed.validFrom), new Date(parsed.validTo)]).to.deep.equal([
      VALIDITY.from,
      VALIDITY.until,
    ]);
    expect(parsed.subjectAltName?.split(', ')).to.deep.equal([
      'DNS:localhost',
      'DNS:a.example.org',
      'IP Address:127.0.0.1',
      'IP Address:10.1.2.3',
      'IP Address:0:0:0:0:0:0:0:1',
      'IP Address:2001:DB8:0:0:0:0:0:7',
      'IP Address:0:0:0:0:0:FFFF:102:304',
    ]);
    expect(parsed.checkHost('a.example.org')).to.equal('a.example.org');
    expect(parsed.checkHost('b.example.org')).to.equal(undefined);
  });

  it('leaves out addresses with a zone', async () => {
    const { cert } = await createSelfSigned(['localhost', 'fe80::1%eth0', 'fe80::2'], VALIDITY);
    expect(new X509Certificate(cert).subjectAltName).to.equal('DNS:localhost, IP Address:FE80:0:0:0:0:0:0:2');
  });

  it('has dates from 2050 on, long lists of names, and another serial number each time', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `host-${at}.example.org`);
    const until = new Date('2061-07-08T09:10:11Z');
    const made = [1, 2].map(() => createSelfSigned(many, { ...VALIDITY, until }));
    const two = (await Promise.all(made)).map(({ cert }) => new X509Certificate(cert));
    expect(new Date(two[0]!.validTo)).to.deep.equal(until);
    expect(two[0]!.subjectAltName?.split(', ')).to.have.length(60);
    expect(two[0]!.serialNumber).to.match(/^4[0-9A-F]{31}$/);
    expect(two[0]!.serialNumber).to.not.equal(two[1]!.serialNumber);
  });

  it('is read by OpenSSL as one for servers', async () => {
    const { cert } = await createSelfSigned(NAMES, {
      from: new Date(Date.now() - 1000),
      until: VALIDITY.until,
    });
    const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: cert, encoding: 'utf8' });
    expect(text).to.include('Signature Algorithm: sha256WithRSAEncryption');
    expect(text).to.include('TLS Web Server Authentication');
    expect(text).to.match(/Key Usage: critical\s+Digital Signature, Key Encipherment/);
  });

  it('lets a client that trusts it connect by its names only', async () => {
    const { cert, key } = await createSelfSigned(['localhost'], {
      from: new Date(Date.now() - 1000),
      until: VALIDITY.until,
    });
    const server = createServer({ cert, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const open = async (servername: string) => {
      const socket = connect({ host: '127.0.0.1', port, ca: cert, servername });
      try {
        await once(socket, 'secureConnect');
        return 'connected';
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      } finally {
        socket.destroy();
      }
    };
    expect(await open('localhost')).to.equal('connected');
    expect(await open('other.example.org')).to.equal('ERR_TLS_CERT_ALTNAME_INVALID');
    server.close();
  });
});
