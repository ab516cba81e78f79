import { expect } from 'chai';
import { generate } from 'selfsigned';
import {
  connectTo,
  coreRequest,
  type ServedFakeCore,
  serveFakeCore,
} from '../support/gateway/remote-core.ts';

describe('a core over TLS', () => {
  let core: ServedFakeCore;
  let authority: string;

  before(async () => {
    const pems = await certificate();
    authority = pems.cert;
    core = await serveFakeCore({ tls: pems });
  });
  after(() => core.close());

  it('is called by a gateway that trusts its authority', async () => {
    expect(core.address).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    const remote = await connectTo([core.address], { certificateAuthority: authority });
    expect((await remote.handle(coreRequest())).status).to.equal(200);
    await remote.close();
  });

  it('gets no calls from a gateway that does not', async () => {
    const requests = core.fake.requests.length;
    for (const options of [{}, { certificateAuthority: (await certificate()).cert }]) {
      const remote = await connectTo([core.address], options);
      const error = await remote.handle(coreRequest()).catch((reason: unknown) => reason);
      expect(error).to.include({ status: 503 });
      const { parts } = await remote.health();
      expect(parts[`core ${core.address}`]!.detail).to.match(/cannot be reached: .*certificate/);
      await remote.close();
    }
    expect(core.fake.requests).to.have.length(requests);
  });

  it('gets no calls over plain HTTP', async () => {
    const remote = await connectTo([core.address.slice('https://'.length)]);
    expect(await remote.handle(coreRequest()).catch((reason: unknown) => reason)).to.include({ status: 503 });
    await remote.close();
  });
});

async function certificate(): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'core' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { cert, key };
}
