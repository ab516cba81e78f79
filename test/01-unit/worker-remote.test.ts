import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { listenRemote, type RemoteListener } from '../../workers/host/listen-remote.ts';
import { connectRemoteWorker } from '../../workers/tier/remote-worker.ts';
import {
  failureOf,
  isAlive,
  noiseImage,
  pidsOf,
  planOf,
  startTier,
  type TestTier,
} from '../support/images/worker-tier.ts';
import { until } from '../support/until.ts';

const TOKEN = 'a token of thirty-two characters';

describe('a worker on another machine', () => {
  let folder: string;
  let file: string;
  let remoteTier: TestTier;
  let listener: RemoteListener;
  let localTier: TestTier | undefined;
  const address = (token = TOKEN) => ({ host: '127.0.0.1', port: listener.port, token });
  const listen = (port: number) =>
    listenRemote({
      workers: remoteTier,
      host: '127.0.0.1',
      port,
      token: TOKEN,
      concurrency: 2,
      log: { debug() {} },
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-remote-'));
    file = join(folder, 'image');
    await writeFile(file, await noiseImage(400, 300));
    remoteTier = startTier();
  });

  beforeEach(async () => {
    listener = await listen(0);
  });

  afterEach(async () => {
    await localTier?.close();
    localTier = undefined;
    await listener.close();
  });

  after(async () => {
    const pids = pidsOf(remoteTier);
    await remoteTier.close();
    await until(() => !pids.some(isAlive));
    await rm(folder, { recursive: true });
  });

  it('makes the same bytes from a local file, without a local process', async () => {
    localTier = startTier({ remotes: [address()] });
    const plan = planOf({ width: 300, height: 200 });
    const [there, here] = await Promise.all([
      localTier.run('image-transform', { source: file, plan }),
      remoteTier.run('image-transform', { source: file, plan }),
    ]);
    expect(Buffer.from(there.body).equals(here.body)).to.equal(true);
    expect(localTier.report()['images']?.hosts.map(({ pid }) => pid)).to.deep.equal([null]);
  });

  it('reports why an image is refused', async () => {
    localTier = startTier({ remotes: [address()] });
    const source = Buffer.from('no image');
    const { failure, message } = await failureOf(
      localTier.run('image-transform', { source, plan: planOf() }),
    );
    expect({ failure, message }).to.deep.equal({
      failure: 'refused',
      message: 'The file is not a JPEG, PNG, GIF or WebP image.',
    });
    const missing = join(folder, 'nothing');
    const lost = await failureOf(localTier.run('image-transform', { source: missing, plan: planOf() }));
    expect(lost.failure).to.equal('lost');
    expect(localTier.report()['images'])
      .to.include({ done: 0 })
      .and.have.property('failed')
      .that.includes({ refused: 1, lost: 1 });
  });

  it('is reconnected after it was unreachable', async () => {
    localTier = startTier({ remotes: [address()] });
    await localTier.run('image-transform', { source: file, plan: planOf() });
    const { port } = listener;
    await listener.close();
    await until(() => localTier?.report()['images']?.hosts[0]?.state !== 'open');
    listener = await listen(port);
    const { width } = await localTier.run('image-transform', { source: file, plan: planOf() });
    expect(width).to.equal(40);
  });

  it('is reached before the first task, and is unhealthy while it is away', async () => {
    localTier = startTier({ remotes: [address()] });
    const isHealthy = async () => (await localTier?.health())?.ok;
    await until(() => localTier?.report()['images']?.hosts[0]?.state === 'open');
    expect(await isHealthy()).to.equal(true);
    const { port } = listener;
    await listener.close();
    await until(async () => !(await isHealthy()));
    // Between two attempts to reach it, too.
    for (let time = 0; time < 20; time += 1) {
      expect(await isHealthy()).to.equal(false);
      await pause(20);
    }
    // Its end, and the first attempt that failed.
    expect(localTier.warnings).to.have.length(2);
    for (const text of localTier.warnings) expect(text).to.match(/^A remote worker does not answer/);
    expect(localTier.notes).to.deep.equal([]);
    listener = await listen(port);
    await until(async () => (await isHealthy()) === true);
    expect(localTier.notes).to.deep.equal(['A remote worker answers.']);
  });

  it('is reached beside another one that is away', async () => {
    const away = { host: '127.0.0.1', port: 9, token: TOKEN };
    localTier = startTier({ remotes: [away, address()] });
    await until(async () => (await localTier?.health())?.ok === false);
    await until(async () => (await localTier?.health())?.ok === true);
    expect(localTier.warnings).to.have.length(1);
  });

  it('is awaited by tasks while it is started again', async () => {
    localTier = startTier({ remotes: [address()] });
    await localTier.run('image-transform', { source: file, plan: planOf() });
    const { port } = listener;
    await listener.close();
    await until(() => localTier?.report()['images']?.hosts[0]?.state !== 'open');
    const waiting = localTier.run('image-transform', { source: file, plan: planOf() });
    // Each of the attempts to reach it fails.
    await until(() => (localTier?.report()['images']?.crashes ?? 0) > 3);
    expect(localTier.refusal('image-transform')).to.equal(undefined);
    listener = await listen(port);
    expect((await waiting).width).to.equal(40);
  });

  it('runs nothing for clients without the token', async () => {
    const done = remoteTier.report()['images']?.done;
    localTier = startTier({ remotes: [address('another token of some characters')] });
    const { failure } = await failureOf(localTier.run('image-transform', { source: file, plan: planOf() }));
    expect(failure).to.equal('lost');
    expect(remoteTier.report()['images']?.done).to.equal(done);
  });

  it('opens no local file for a client', async () => {
    const connection = await connectRemoteWorker(address());
    const answer = new Promise<unknown>((resolve) => connection.onAnswer(resolve));
    const record = { source: file, plan: planOf() };
    connection.send(
      { kind: 'request', id: 1, task: 'image-transform', milliseconds: 5000, record, gaps: [] },
      [],
    );
    expect(await answer).to.include({ kind: 'failure', id: 1, failure: 'refused' });
    connection.end();
  });

  it('disconnects clients that do not authenticate first, and never sends the token', async () => {
    const received = await new Promise<string>((resolve) => {
      const socket: Socket = connect(listener.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
        socket.write(Buffer.from([0, 0, 0, 18, 0, 0, 0, 0]));
        socket.write('{"kind":"request"}');
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });
    expect(received).to.include('"kind":"greeting"').and.not.include(TOKEN);
  });
});
