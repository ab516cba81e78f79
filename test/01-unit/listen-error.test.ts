import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ListenOptions } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listenError } from '../../gateway/listeners/listen-error.ts';

const OTHER_USER = 65_534;

/** The error of a real attempt to listen. */
function failure(options: ListenOptions): Promise<Error> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(options, () => server.close(() => reject(new Error('It listens.'))));
  });
}

describe('an address that cannot be used', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-listen-'));
  });
  after(() => rm(folder, { recursive: true }));

  const sentence = async (address: string, options: ListenOptions) =>
    listenError(address, 'HEADWATER_LISTEN', await failure(options)).message;

  it('is a socket without a folder: to be made', async () => {
    const path = join(folder, 'none/core.sock');
    expect(await sentence(`unix:${path}`, { path })).to.equal(
      `There is no folder for the socket unix:${path}; make it or set another address (HEADWATER_LISTEN).`,
    );
  });

  it('is a socket in a folder that the user may not write to', async () => {
    const path = join(folder, 'core.sock');
    await chmod(folder, 0o500);
    const root = process.getuid?.() === 0;
    if (root) process.seteuid?.(OTHER_USER);
    const message = await sentence(`unix:${path}`, { path }).finally(() => {
      if (root) process.seteuid?.(0);
    });
    expect(message).to.equal(
      `This user may not make the socket unix:${path}; allow it to write to the folder or set another address (HEADWATER_LISTEN).`,
    );
  });

  it('is a port below 1024 without the right to it', () => {
    // Whether a user has the right depends on the system.
    const cause = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
    expect(listenError('127.0.0.1:80', 'HEADWATER_HOST, HEADWATER_PORT', cause).message).to.equal(
      'This user may not listen at 127.0.0.1:80; give it the right to ports below 1024 or set another address (HEADWATER_HOST, HEADWATER_PORT).',
    );
  });

  it('is one of another machine', async () => {
    expect(await sentence('192.0.2.1:0', { host: '192.0.2.1', port: 0 })).to.equal(
      'The address 192.0.2.1:0 is not one of this machine; set another address (HEADWATER_LISTEN).',
    );
  });

  it('fails for another reason, which is named', async () => {
    const path = join(import.meta.filename, 'core.sock');
    expect(await sentence(`unix:${path}`, { path })).to.equal(
      `The service cannot listen at unix:${path} (ENOTDIR); set another address (HEADWATER_LISTEN).`,
    );
  });
});
