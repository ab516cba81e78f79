/** A real OpenStack Swift with its S3 API, one copy of everything, in a folder of its own on free ports. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../gateway/run-gateway.ts';
import { realProgram } from './real-program.ts';

const run = promisify(execFile);

export const SWIFT_KEY = 'test:tester';
export const SWIFT_SECRET = 'testing';

export interface RunningSwift {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  /** Stops the proxy where it is. */
  stall(): void;
  continue(): void;
  /** Kills the proxy; `restart` starts it again at the same port. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  end(): Promise<void>;
}

const PARTS = ['object', 'container', 'account'] as const;

/** Commands of swift-ring-builder, one a line, in one process: Python takes longer to start than to run one. */
const BUILD_RINGS = `
import json, sys
from swift.cli.ringbuilder import main
for line in sys.stdin:
  try: main(['swift-ring-builder', *json.loads(line)])
  except SystemExit as end:
    if end.code: raise`;

/** By default a server that accepts no connection for half a second has failed, which a busy machine is soon. */
const PATIENT = 'conn_timeout = 20\nnode_timeout = 60\n';

export async function runSwift(): Promise<RunningSwift> {
  const proxy = await realProgram('swift-proxy-server');
  await realProgram('swift-ring-builder');
  for (const part of PARTS) await realProgram(`swift-${part}-server`);
  const folder = await mkdtemp(join(tmpdir(), 'headwater-swift-'));
  const devices = join(folder, 'devices');
  await mkdir(join(devices, 'one'), { recursive: true });
  await writeFile(
    join(folder, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = tests\nswift_hash_path_prefix = tests\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  // The user of this process: as root it would change to the user swift, who may not read the folder.
  const user = (await run('id', ['-un'])).stdout.trim();
  const shared = `swift_dir = ${folder}\nuser = ${user}\nbind_ip = 127.0.0.1\nworkers = 0\nlog_level = WARNING\nlog_address = ${join(folder, 'log')}\n`;
  const servers: ChildProcess[] = [];
  const start = (program: string, file: string) => {
    const server = spawn(program, [file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, SWIFT_TEST: '1' },
    });
    server.stderr!.resume();
    servers.push(server);
    return server;
  };
  const rings: string[][] = [];
  const ports: number[] = [];
  for (const part of PARTS) {
    const port = await freePort();
    ports.push(port);
    const file = join(folder, `${part}.conf`);
    await writeFile(
      file,
      `[DEFAULT]\n${shared}bind_port = ${port}\ndevices = ${devices}\nmount_check = false\n[pipeline:main]\npipeline = ${part}-server\n[app:${part}-server]\nuse = egg:swift#${part}\n${PATIENT}`,
    );
    const builder = join(folder, `${part}.builder`);
    rings.push(
      [builder, 'create', '4', '1', '0'],
      [builder, 'add', `r1z1-127.0.0.1:${port}/one`, '1'],
      [builder, 'rebalance'],
    );
    start(await realProgram(`swift-${part}-server`), file);
  }
  await buildRings(rings);
  const port = await freePort();
  const file = join(folder, 'proxy.conf');
  await writeFile(
    file,
    `[DEFAULT]\n${shared}bind_port = ${port}\n` +
      '[pipeline:main]\npipeline = catch_errors healthcheck cache s3api tempauth proxy-server\n' +
      '[app:proxy-server]\nuse = egg:swift#proxy\nallow_account_management = true\naccount_autocreate = true\n' +
      PATIENT +
      '[filter:tempauth]\nuse = egg:swift#tempauth\nuser_test_tester = testing .admin\n' +
      '[filter:s3api]\nuse = egg:swift#s3api\nlocation = us-east-1\nallow_multipart_uploads = no\n' +
      '[filter:healthcheck]\nuse = egg:swift#healthcheck\n' +
      '[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:9\n' +
      '[filter:catch_errors]\nuse = egg:swift#catch_errors\n',
  );
  const endpoint = `http://127.0.0.1:${port}`;
  let front: ChildProcess;
  async function startProxy(): Promise<void> {
    front = start(proxy, file);
    let printed = '';
    front.stderr!.on('data', (some: Buffer) => {
      printed += some;
    });
    // Four Python programs take seconds to start, on a busy machine many.
    for (const ends = Date.now() + 60_000; ; await pause(100)) {
      const isUp = await fetch(`${endpoint}/healthcheck`, { signal: AbortSignal.timeout(5000) }).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (isUp) return;
      if (front.exitCode !== null || Date.now() > ends) throw new Error(`Swift does not start: ${printed}`);
    }
  }
  async function kill(server: ChildProcess): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }
  const end = async () => {
    for (const server of servers) await kill(server);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await startProxy();
    // The proxy answers 503 for the parts that do not.
    for (const part of ports) await accepts(part);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    endpoint,
    stall: () => front.kill('SIGSTOP'),
    continue: () => front.kill('SIGCONT'),
    kill: () => kill(front),
    restart: startProxy,
    end,
  };
}

/** Resolves once a server accepts connections at the port. */
async function accepts(port: number): Promise<void> {
  for (const ends = Date.now() + 60_000; ; await pause(50)) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    if (Date.now() > ends) throw new Error(`A server of Swift does not accept connections at port ${port}.`);
  }
}

async function buildRings(commands: readonly (readonly string[])[]): Promise<void> {
  // The interpreter that has the package.
  const [first = ''] = (await readFile(await realProgram('swift-ring-builder'), 'utf8')).split('\n', 1);
  const [python = '', ...options] = first.replace(/^#!/, '').trim().split(/\s+/);
  const building = run(python, [...options, '-c', BUILD_RINGS]);
  building.child.stdin!.end(commands.map((words) => JSON.stringify(words)).join('\n'));
  await building;
}
