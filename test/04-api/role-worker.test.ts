import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { hostsOf, noiseImage } from '../support/images/worker-tier.ts';
import { longTest } from '../support/long-form.ts';
import { type AssetService, getBytes, startAssets } from '../support/projects/asset-service.ts';
import { HeadwaterProcess, runHeadwater } from '../support/service/run-headwater.ts';

const TOKEN = 'a-secret-of-both-0123456789-0123456789';

describe('a process of the role worker', () => {
  let worker: HeadwaterProcess;
  let service: AssetService;

  before(async () => {
    worker = new HeadwaterProcess(['serve'], {
      HEADWATER_ROLE: 'worker',
      HEADWATER_WORKERS__LISTEN: '127.0.0.1:0',
      HEADWATER_WORKERS__TOKEN: TOKEN,
    });
    const [, address = ''] = await worker.printed(/transforms images for other services at (\S+)\.\n/);
    service = await startAssets({
      environment: {
        HEADWATER_WORKERS__REMOTE: JSON.stringify([address]),
        HEADWATER_WORKERS__TOKEN: TOKEN,
        HEADWATER_LOG_LEVEL: 'silent',
      },
    });
  });

  after(async () => {
    worker.signal('SIGKILL');
    await service.stop();
  });

  it('transforms the images of a service that lists it, which starts no process itself', async () => {
    const { url } = await service.store('noise.jpg', 'image/jpeg', await noiseImage(400, 300));
    const { status, headers, bytes } = await getBytes(`${url}?w=120`);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('image/jpeg');
    expect(bytes.subarray(0, 2)).to.deep.equal(Buffer.from([0xff, 0xd8]));
    expect(hostsOf(process.pid)).to.deep.equal([]);
  });

  it('causes 503 for new images after it has ended; cached ones are served', async () => {
    const { url } = await service.store('other.jpg', 'image/jpeg', await noiseImage(300, 200));
    expect((await getBytes(`${url}?w=50`)).status).to.equal(200);
    worker.signal('SIGTERM');
    const { code } = await worker.ended;
    expect(code).to.equal(0);
    expect((await getBytes(`${url}?w=51`)).status).to.equal(503);
    expect((await getBytes(`${url}?w=50`)).status).to.equal(200);
    expect((await getBytes(url)).status).to.equal(200);
  });

  longTest('does not start where one of its two addresses is taken, and names the setting', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const refused = async (environment: Readonly<Record<string, string>>) =>
      (
        await runHeadwater(['serve'], {
          HEADWATER_ROLE: 'worker',
          HEADWATER_WORKERS__TOKEN: TOKEN,
          ...environment,
        })
      ).err;
    const sentence = `headwater: The address 127.0.0.1:${port} is taken by another program; stop that or set another address`;
    expect(await refused({ HEADWATER_WORKERS__LISTEN: `127.0.0.1:${port}` })).to.equal(
      `${sentence} (HEADWATER_WORKERS__LISTEN).\n`,
    );
    expect(
      await refused({ HEADWATER_WORKERS__LISTEN: '127.0.0.1:0', HEADWATER_PORT: String(port) }),
    ).to.equal(`${sentence} (HEADWATER_HOST, HEADWATER_PORT).\n`);
    taken.close();
    const takenV6 = createServer().listen(0, '::1');
    await once(takenV6, 'listening');
    const { port: portV6 } = takenV6.address() as AddressInfo;
    expect(
      await refused({
        HEADWATER_WORKERS__LISTEN: '127.0.0.1:0',
        HEADWATER_HOST: '::1',
        HEADWATER_PORT: String(portV6),
      }),
    ).to.include(`The address [::1]:${portV6} is taken by another program`);
    takenV6.close();
  });

  it('does not start without the secret', async () => {
    const { code, err } = await runHeadwater(['serve'], { HEADWATER_ROLE: 'worker' });
    expect(code).to.equal(1);
    expect(err).to.include('workers.token');
  });
});
