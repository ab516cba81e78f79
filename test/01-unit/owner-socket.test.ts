import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { StartError } from '../../config/start-error.ts';
import { forwardCommand, openOwnerSocket } from '../../gateway/cli/owner-socket.ts';

const OTHER_USER = 65_534;

/** Root may open everything, so the call starts as another user. */
function asOtherUser<T>(work: () => T): T {
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(OTHER_USER);
  try {
    return work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

describe('the socket of the process that owns the data', () => {
  let folder: string;
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const terminal = { out: print, err: print, progress: () => {} };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-owner-'));
    printed.length = 0;
  });
  afterEach(async () => {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });

  it('forwards a command, its output and its exit code', async () => {
    const owner = await openOwnerSocket(folder, async (words, { out }) => {
      out(words.join(' '));
      return 7;
    });
    expect(await forwardCommand(folder, ['project', 'list'], terminal)).to.equal(7);
    expect(printed).to.deep.equal(['project list']);
    await owner.close();
  });

  it('says what to do where the service ends before the command', async () => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const owner = await openOwnerSocket(folder, () => {
      begin();
      return new Promise<number>(() => {});
    });
    const code = forwardCommand(folder, ['generate'], terminal);
    await begun;
    await owner.close();
    expect(await code).to.equal(1);
    expect(printed.join()).to.match(
      /ended before it had finished the command, which may .*: look at that .*, and repeat the command\.$/,
    );
  });

  it('is missing when no process owns the data', async () => {
    expect(await forwardCommand(folder, ['reload'], terminal)).to.equal(undefined);
  });

  it('of another user shows that there is an owner, which cannot be called', async () => {
    const owner = await openOwnerSocket(folder, async () => 0);
    await chmod(folder, 0o000);
    const asking = asOtherUser(() => forwardCommand(folder, ['reload'], terminal));
    const error = await asking.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(StartError);
    expect((error as StartError).message).to.include('belongs to another user');
    await chmod(folder, 0o700);
    await owner.close();
  });

  const longFolder = async () => {
    const long = join(folder, 'a'.repeat(60), 'b'.repeat(60));
    await mkdir(long, { recursive: true });
    return long;
  };
  const ownerOf = async (dataDir: string) => {
    const text = await readFile(join(dataDir, 'owner.json'), 'utf8');
    const kept = JSON.parse(text) as { socket: string; secret: string; folder: string };
    return { ...kept, socket: resolve(dataDir, kept.socket) };
  };
  const ask = async (dataDir: string) => {
    try {
      return await forwardCommand(dataDir, ['key', 'regenerate', '--admin-token'], terminal);
    } catch (error) {
      expect(error).to.be.instanceOf(StartError);
      return (error as StartError).message;
    }
  };

  it('is in a private folder with a random name where the path of the data is too long', async () => {
    const long = await longFolder();
    const places = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      const owner = await openOwnerSocket(long, async () => 5);
      const { socket } = await ownerOf(long);
      const place = await lstat(dirname(socket));
      expect([place.isDirectory(), place.mode & 0o777, place.uid]).to.deep.equal([
        true,
        0o700,
        process.geteuid?.(),
      ]);
      expect((await lstat(socket)).mode & 0o777).to.equal(0o600);
      expect((await lstat(join(long, 'owner.json'))).mode & 0o777).to.equal(0o600);
      expect(await ask(long)).to.equal(5);
      places.add(socket);
      await owner.close();
      expect(existsSync(dirname(socket))).to.equal(false);
      expect(await readdir(long)).to.deep.equal([]);
    }
    expect(places.size).to.equal(2);
  });

  it('replaces one whose owner has died, and a file without a valid address', async () => {
    const long = await longFolder();
    const dead = await openOwnerSocket(long, async () => 1);
    const { socket } = await ownerOf(long);
    const next = await openOwnerSocket(long, async () => 2);
    expect(existsSync(dirname(socket))).to.equal(false);
    expect(await ask(long)).to.equal(2);
    await next.close();
    await dead.close();
    for (const nonsense of ['', '{}', 'null', '{"socket":1,"secret":2}', '{"socket":"/","secret":""}']) {
      await writeFile(join(long, 'owner.json'), nonsense, { mode: 0o600 });
      expect(await ask(long)).to.include('is damaged');
    }
    const third = await openOwnerSocket(long, async () => 3);
    expect(await ask(long)).to.equal(3);
    await third.close();
  });

  it('replaces one whose file is missing, as after a power failure', async () => {
    const left = createServer();
    await new Promise<void>((done) => left.listen(join(folder, 'moved.sock'), done));
    await rename(join(folder, 'moved.sock'), join(folder, 'owner.sock'));
    await new Promise((done) => left.close(done));
    const owner = await openOwnerSocket(folder, async () => 6);
    expect(await ask(folder)).to.equal(6);
    await owner.close();
  });

  it('is found by another path of the folder, as outside a container', async () => {
    const inside = join(folder, 'inside');
    await mkdir(inside, { mode: 0o700 });
    const owner = await openOwnerSocket(inside, async () => 4);
    await rename(inside, join(folder, 'outside'));
    expect(await ask(join(folder, 'outside'))).to.equal(4);
    await rename(join(folder, 'outside'), inside);
    await owner.close();
  });

  for (const place of ['short', 'long'] as const) {
    it(`is neither called nor removed for a copy of the folder (${place} path)`, async () => {
      const data = place === 'long' ? await longFolder() : join(folder, 'data');
      await mkdir(data, { recursive: true, mode: 0o700 });
      let done = 0;
      const owner = await openOwnerSocket(data, async () => {
        done += 1;
        return 0;
      });
      const copy = `${data}-copy`;
      await mkdir(copy, { mode: 0o700 });
      await copyFile(join(data, 'owner.json'), join(copy, 'owner.json'));
      expect(await ask(copy)).to.equal(undefined);
      expect(done).to.equal(0);
      const second = await openOwnerSocket(copy, async () => 2);
      expect(await ask(copy)).to.equal(2);
      await second.close();
      expect(await ask(data)).to.equal(0);
      await owner.close();
    });
  }

  describe('where another process listens', () => {
    /** Bytes of each connection. */
    const received: string[] = [];
    async function impostor(path: string, behave: (socket: Socket) => void) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', (chunk) => received.push(String(chunk)));
        behave(socket);
      });
      await new Promise<void>((done) => server.listen(path, done));
      return () => new Promise((done) => server.close(done));
    }
    const reply = `${JSON.stringify({ out: '{"token":"of-the-impostor"}' })}\n${JSON.stringify({ exit: 0 })}\n`;
    const proof = 'f'.repeat(64);
    const answers: readonly [what: string, behave: (socket: Socket) => void][] = [
      ['answers at once', (socket) => socket.write(reply)],
      ['leaves', (socket) => socket.end()],
      ['sends no JSON', (socket) => socket.write('hello\n\n')],
      ['greets and answers', (socket) => socket.write(`{"nonce":"1"}\n${reply}`)],
      ['makes a proof up', (socket) => socket.write(`{"nonce":"1"}\n{"proof":"${proof}"}\n${reply}`)],
      [
        'sends the proof of the command back',
        (socket) => {
          socket.write('{"nonce":"1"}\n');
          socket.on('data', (chunk) => socket.write(`${String(chunk).trim()}\n${reply}`));
        },
      ],
    ];
    for (const [what, behave] of answers) {
      it(`and ${what}, no reply is shown and no command is sent`, async () => {
        received.length = 0;
        const owner = await openOwnerSocket(folder, async () => 0);
        const { socket, secret } = await ownerOf(folder);
        await rename(socket, `${socket}.moved`);
        const end = await impostor(socket, behave);
        expect(await ask(folder)).to.include('does not prove');
        expect(printed).to.deep.equal([]);
        expect(received.join('')).to.not.include('regenerate').and.not.include(secret);
        await end();
        await owner.close();
      });
    }

    it('the service does nothing without the secret', async () => {
      let done = 0;
      const owner = await openOwnerSocket(folder, async () => {
        done += 1;
        return 0;
      });
      const kept = await ownerOf(folder);
      await writeFile(join(folder, 'owner.json'), JSON.stringify({ ...kept, secret: 'x'.repeat(43) }));
      expect(await ask(folder)).to.include('does not prove');
      expect(done).to.equal(0);
      await owner.close();
    });

    it('a file or folder of the socket that other users can write, or that is a link, is not used', async () => {
      const long = await longFolder();
      const owner = await openOwnerSocket(long, async () => 0);
      const file = join(long, 'owner.json');
      const { socket } = await ownerOf(long);
      await chmod(file, 0o644);
      expect(await ask(long)).to.include('not a file that only the owner');
      await chmod(file, 0o600);
      await chmod(dirname(socket), 0o755);
      expect(await ask(long)).to.include('not a folder that only the owner');
      await chmod(dirname(socket), 0o700);
      await rename(dirname(socket), `${dirname(socket)}.moved`);
      await symlink(`${dirname(socket)}.moved`, dirname(socket));
      expect(await ask(long)).to.include('not a folder that only the owner');
      await rm(dirname(socket));
      await rename(`${dirname(socket)}.moved`, dirname(socket));
      await rename(file, `${file}.moved`);
      await symlink(`${file}.moved`, file);
      expect(await ask(long)).to.include('not a file that only the owner');
      await rm(file);
      await rename(`${file}.moved`, file);
      expect(await ask(long)).to.equal(0);
      await owner.close();
    });
  });
});
