import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { askOwner, openOwnerSocket } from '../../gateway/cli/owner-socket.ts';
import { StartError } from '../../gateway/start-error.ts';

const NOBODY = 65_534;

/** Root may open everything, so it is somebody else for as long as the call begins. */
function asStranger<T>(work: () => T): T {
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(NOBODY);
  try {
    return work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

describe('the socket of the one who owns the data', () => {
  let folder: string;
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const terminal = { out: say, err: say, progress: () => {} };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-owner-'));
    said.length = 0;
  });
  afterEach(async () => {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });

  it('hands over a command with what it prints and its exit code', async () => {
    const owner = await openOwnerSocket(folder, async (words, { out }) => {
      out(words.join(' '));
      return 7;
    });
    expect(await askOwner(folder, ['project', 'list'], terminal)).to.equal(7);
    expect(said).to.deep.equal(['project list']);
    await owner.close();
  });

  it('that is not there means that nobody owns them', async () => {
    expect(await askOwner(folder, ['reload'], terminal)).to.equal(undefined);
  });

  it('of another user does not: there is an owner, who may not be asked', async () => {
    const owner = await openOwnerSocket(folder, async () => 0);
    await chmod(folder, 0o000);
    const asking = asStranger(() => askOwner(folder, ['reload'], terminal));
    const error = await asking.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(StartError);
    expect((error as StartError).message).to.include('belongs to another user');
    await chmod(folder, 0o700);
    await owner.close();
  });
});
