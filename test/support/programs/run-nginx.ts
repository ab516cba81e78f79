/** A real nginx with the configuration that is shipped, in a folder of its own, in front of a service. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadCertificate } from '../../../gateway/listeners/certificate.ts';
import { freePort } from '../gateway/run-gateway.ts';
import { realProgram } from './real-program.ts';

const SHIPPED = join(import.meta.dirname, '../../../config/nginx/headwater.conf');

export interface RunningNginx {
  readonly http: string;
  readonly https: string;
  /** Certificate to trust. */
  readonly ca: string;
  /** What `nginx -t` says of the configuration. */
  readonly tested: string;
  /** Its warnings and errors. */
  log(): Promise<string>;
  /** Sends a signal to all its processes. */
  signal(name: NodeJS.Signals): void;
  /** Starts it again at the same ports after it was killed. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

/** @param upstreams `127.0.0.1:<port>` */
export async function runNginx(...upstreams: readonly string[]): Promise<RunningNginx> {
  const program = await realProgram('nginx');
  const folder = await mkdtemp(join(tmpdir(), 'headwater-nginx-'));
  const names = ['localhost', 'content.example.org'];
  const { cert } = await loadCertificate(
    { certificate: null, key: null },
    { dataDir: folder, names, now: new Date() },
  );
  const [plain, secure] = [await freePort(), await freePort()];
  // Exactly the lines that an operator has to change.
  const yours: [RegExp, string][] = [
    [/\/var\/cache\/nginx\/headwater/, `${folder}/cache`],
    [/listen 80;/, `listen 127.0.0.1:${plain};`],
    [/listen 443 ssl http2;/, `listen 127.0.0.1:${secure} ssl http2;`],
    [/server_name content\.example\.org;/, 'server_name content.example.org localhost;'],
    [/\/etc\/ssl\/content\.example\.org\.pem/, join(folder, 'tls/certificate.pem')],
    [/\/etc\/ssl\/content\.example\.org\.key/, join(folder, 'tls/key.pem')],
  ];
  const lines = (await readFile(SHIPPED, 'utf8')).split('\n').map((line) => {
    if (!line.endsWith('# yours')) return line;
    const server = /^ +server 127\.0\.0\.1:8080/;
    if (server.test(line))
      return upstreams.map((one) => line.replace(server, `    server ${one}`)).join('\n');
    const change = yours.find(([match]) => match.test(line));
    if (change === undefined) throw new Error(`The test does not know what to put into: ${line}`);
    return line.replace(change[0], change[1]);
  });
  await writeFile(join(folder, 'headwater.conf'), lines.join('\n'));
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log warn;
    events { worker_connections 512; }
    http { access_log off; ${own.join(' ')} include ${folder}/headwater.conf; }`,
  );
  const words = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
  const tested = await promisify(execFile)(program, [...words, '-t']);
  let child: ChildProcess;
  let ended: Promise<void>;
  const log = () => readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
  const start = async () => {
    child = spawn(program, words, { stdio: 'inherit' });
    ended = new Promise((resolve) => child.once('exit', () => resolve()));
    while (!(await listens(plain))) {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${await log()}`);
      await pause(20);
    }
  };
  await start();
  return {
    http: `http://localhost:${plain}`,
    https: `https://localhost:${secure}`,
    ca: cert,
    tested: tested.stderr.replaceAll(folder, ''),
    log,
    signal(name) {
      const { pid = 0 } = child;
      const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
      for (const one of [pid, ...workers]) process.kill(one, name);
    },
    async restart() {
      await ended;
      await start();
    },
    async end() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
