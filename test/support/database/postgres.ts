/** A real PostgreSQL: one server for a mocha process, in a folder of its own, and a database for each test. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readFileSync, rmSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import { freePort } from '../network/free-port.ts';
import { realProgram } from '../programs/real-program.ts';
import { SmallFolder } from '../programs/small-folder.ts';
import { until } from '../until.ts';

const USER = 'headwater';
export const POSTGRES_PASSWORD = 'a password for tests only';

/**
 * Makes the data folder, of a standby from its primary, else as a copy of the folder `$2`, which the first server of this process
 * leaves: to copy takes a twentieth of the time of `initdb`. Each line of standard input is a signal that ends the server; the next
 * line starts it again. When standard input closes, also because the process of the tests was killed, it ends the server and
 * removes the folder.
 */
const SERVER = `
make() {
  if [ -f "$0/primary" ]
  then "$1/pg_basebackup" -N -D "$0/data" -d "$(cat "$0/primary")" -R -X stream -c fast
  elif [ -d "$2" ]
  then cp -R "$2/." "$0/data" && chmod 700 "$0/data"
  else "$1/initdb" -D "$0/data" -U ${USER} -E UTF8 --locale=C.UTF-8 -N --auth-local=trust --auth-host=scram-sha-256 \\
    --pwfile="$0/password" || return
    # Servers may start at the same time; the first one leaves its copy.
    [ -z "$2" ] || { cp -R "$0/data" "$2-$$" && mv -T "$2-$$" "$2"; } || rm -rf "$2-$$"
  fi
}
while
  [ -f "$0/data/PG_VERSION" ] || make "$1" >"$0/log" 2>&1 || { cat "$0/log" >&2; exit 1; }
  cat >>"$0/data/postgresql.conf" <"$0/settings"
  "$1/postgres" -D "$0/data" >>"$0/log" 2>&1 &
  server=$!
  echo $server
  read -r command
do
  # It may have ended by itself.
  kill -$command $server 2>/dev/null
  wait $server
  # The processes of its sessions notice that, and release the memory that they share.
  sleep 0.5
  echo 0
  read -r command || { rm -rf "$0" 2>/dev/null; exit; }
done
for process in $server $(pgrep -P $server); do kill -CONT $process 2>/dev/null; done
kill -QUIT $server 2>/dev/null
wait $server
# Not the folder of a disk of its own.
rm -rf "$0" 2>/dev/null`;

export interface PostgresServer {
  readonly port: number;
  /** URL of a database over the Unix socket, which needs no password. */
  url(database: string): string;
  /** The same over TCP, with the password. */
  tcpUrl(database: string): string;
  /** Makes an empty database. @returns its name */
  create(more?: string): Promise<string>;
  drop(database: string): Promise<void>;
  /** Runs a statement as superuser. */
  run(text: string, database?: string): Promise<pg.QueryResult>;
  /** How a standby reaches it: parameters of libpq. */
  readonly primaryInfo: string;
  /** Ends the server: `KILL` at once, `INT` as an operator does, after its standbys have everything. */
  stop(signal: 'KILL' | 'INT'): Promise<void>;
  /**
   * Starts it after `stop`.
   * @param primaryInfo makes it a standby with a new copy of that server's data
   */
  start(primaryInfo?: string): Promise<void>;
  /** Kills the server and starts it again. */
  restart(): Promise<void>;
  /** Waits until it serves, and starts it where it has ended by itself. */
  revive(): Promise<void>;
  /** Its data are here, the log of its writes included; undefined unless the options say so. */
  readonly disk: SmallFolder | undefined;
  /** Writes all databases to a file, for `archive`. */
  backUp(file: string): Promise<void>;
  /** Sends a signal to all its processes. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** What the server logged. */
  log(): Promise<string>;
  /** Microseconds of CPU of the sessions that are open. */
  cpu(): number;
  end(): Promise<void>;
}

export interface PostgresOptions {
  /** Commits reach the disk, which takes longer: for tests that kill the server or the machine. */
  readonly durable?: boolean;
  /** Lines of `postgresql.conf`. */
  readonly settings?: readonly string[];
  /** Makes it a standby of the server that `primaryInfo` leads to. */
  readonly primaryInfo?: string;
  /** Its data are none of those of other servers: it is another cluster for its clients. */
  readonly isOther?: boolean;
  /** A file of `backUp` to begin with. */
  readonly archive?: string;
  /** Its data have a disk of their own, which a test can fill. */
  readonly hasDisk?: boolean;
  /** TLS with this certificate, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Leave nothing in the session that runs them. */
const LEAVES_NOTHING =
  /^\s*((SELECT|CREATE DATABASE|DROP DATABASE)\b(?!.*(set_config|advisory|;))|BEGIN;(?!.*\bSET (?!LOCAL)).*;\s*COMMIT$)/is;

/** Sessions of the superuser, of which one in each database is kept for the next statement: a new one costs more than most statements. */
class Sessions {
  readonly #url: (database: string) => string;
  readonly #kept = new Map<string, pg.Client>();

  constructor(url: (database: string) => string) {
    this.#url = url;
  }

  async run(text: string, database: string): Promise<pg.QueryResult> {
    const kept = this.#kept.get(database);
    if (!kept) return this.#runIn(await this.#open(database), text, database);
    this.#kept.delete(database);
    setReferenced(kept, true);
    return this.#runIn(kept, text, database).catch(async (error: pg.DatabaseError) => {
      // The server has ended the session since its last statement, or has ended.
      if (error.code !== undefined && !/^(57P|08|E)/.test(error.code)) throw error;
      return this.#runIn(await this.#open(database), text, database);
    });
  }

  async #runIn(client: pg.Client, text: string, database: string): Promise<pg.QueryResult> {
    let isKept = false;
    try {
      const result = await client.query(text);
      isKept = LEAVES_NOTHING.test(text) && !this.#kept.has(database);
      return result;
    } finally {
      if (isKept) {
        this.#kept.set(database, client);
        setReferenced(client, false);
      } else await client.end();
    }
  }

  async #open(database: string): Promise<pg.Client> {
    // Loaded for tests on PostgreSQL only.
    const { default: driver } = await import('pg');
    const client = new driver.Client(this.#url(database));
    const forget = () => {
      if (this.#kept.get(database) === client) this.#kept.delete(database);
    };
    // A server that ends between two messages; the statement fails as well.
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    return client;
  }
}

/** A kept session does not keep the process of the tests alive. */
function setReferenced(client: pg.Client, isReferenced: boolean): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (isReferenced) stream.ref();
  else stream.unref();
}

let shared: Promise<PostgresServer> | undefined;
/** Standbys have the databases of their primary. */
let databases = 0;

/** Holds the data of a new server once the first one was made. */
let madeClusters: Promise<string> | undefined;

async function newCluster(user: Owner | undefined): Promise<string> {
  madeClusters ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-clusters-'));
    if (user) await chown(folder, user.uid, user.gid);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  })();
  return join(await madeClusters, 'data');
}

/** @returns the server that all tests of this process share; it ends with the process */
export function postgresServer(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

/** @throws one sentence where PostgreSQL is missing and cannot be installed */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const programs = dirname(await realpath(await realProgram('initdb')));
  const folder = await mkdtemp(join(tmpdir(), 'headwater-postgres-'));
  const port = await freePort();
  const settings = [
    `port = ${port}`,
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = '${folder}'`,
    'max_connections = 200',
    'shared_buffers = 32MB',
    'autovacuum = off',
    ...(options.durable ? [] : ['fsync = off', 'full_page_writes = off']),
    ...(options.tls
      ? ['ssl = on', `ssl_cert_file = '${folder}/cert'`, `ssl_key_file = '${folder}/key'`]
      : []),
    ...(options.settings ?? []),
  ];
  const user = await unprivilegedUser();
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    if (user) await chown(join(folder, name), user.uid, user.gid);
  };
  await write('settings', `${settings.join('\n')}\n`);
  await write('password', POSTGRES_PASSWORD);
  for (const [name, content] of Object.entries(options.tls ?? {})) await write(name, content);
  if (options.primaryInfo !== undefined) await write('primary', options.primaryInfo);
  if (user) await chown(folder, user.uid, user.gid);
  if (options.archive) await unpack(options.archive, folder, user);
  const disk = options.hasDisk ? await mountData(folder, user) : undefined;
  const [program = '', ...words] = [
    ...(disk ? inside(disk, user) : []),
    'sh',
    '-c',
    SERVER,
    folder,
    programs,
    options.isOther ? '' : await newCluster(user),
  ];
  const child = spawn(program, words, {
    ...(!disk && user),
    cwd: folder,
    // An interrupt from the terminal is for the tests, which end the server.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  /** Of the starts so far; 0 follows each stop. */
  const pids: number[] = [];
  child.stdout.on('data', (lines: Buffer) => {
    for (const line of lines.toString().trim().split('\n')) pids.push(Number(line));
  });
  const command = async (line: string) => {
    const before = pids.length;
    child.stdin.write(`${line}\n`);
    while (pids.length === before) {
      if (child.exitCode !== null) throw new Error('PostgreSQL could not be started; see its message above.');
      await pause(20);
    }
  };
  await Promise.race([once(child.stdout, 'data'), exited]);
  if (child.exitCode !== null)
    throw new Error('The data of a server could not be made; see the message above.');
  // The server does not keep the process of the tests alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();

  const url = (database: string) => `postgres://${USER}@${encodeURIComponent(folder)}:${port}/${database}`;
  const log = () => readFile(join(folder, 'log'), 'utf8');
  const sessions = new Sessions(url);
  const run = (text: string, database = 'postgres') => sessions.run(text, database);
  const started = async () => {
    for (const deadline = Date.now() + 45_000; ; ) {
      const failure = await run('SELECT 1').then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failure) break;
      await pause(20);
      if (Date.now() > deadline)
        throw new Error(`PostgreSQL did not start: ${await log()}`, { cause: failure });
    }
  };
  await started();
  const stop = async (signal: 'KILL' | 'INT') => {
    if (pids.at(-1) !== 0) await command(signal);
  };
  const start = async (primaryInfo?: string) => {
    if (primaryInfo !== undefined) {
      const data = disk?.reached ?? join(folder, 'data');
      for (const name of await readdir(data)) await rm(join(data, name), { recursive: true });
      await write('primary', primaryInfo);
    }
    await command('start');
    await started();
  };
  return {
    port,
    url,
    tcpUrl: (database) =>
      `postgres://${USER}:${encodeURIComponent(POSTGRES_PASSWORD)}@127.0.0.1:${port}/${database}`,
    async create(more = '') {
      const name = `test_${++databases}`;
      await run(`CREATE DATABASE ${name} ${more}`);
      return name;
    },
    async drop(database) {
      await run(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    },
    run,
    primaryInfo: `host=${folder} port=${port} user=${USER}`,
    stop,
    start,
    async restart() {
      await stop('KILL');
      await start();
    },
    async revive() {
      const ended = () => hasEnded(pids.at(-1) ?? 0);
      const isUp = () =>
        run('SELECT 1').then(
          () => true,
          () => false,
        );
      // One that recovers may yet end.
      await until(async () => ended() || (await isUp()), 20_000);
      if (!ended()) return;
      await stop('KILL');
      await start();
    },
    disk,
    async backUp(file) {
      const backup = spawn(
        join(programs, 'pg_basebackup'),
        ['-h', folder, '-p', `${port}`, '-U', USER, '-D', '-', '-F', 'tar', '-X', 'fetch', '-c', 'fast'],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const ended = once(backup, 'exit');
      await pipeline(backup.stdout, createWriteStream(file));
      const [code] = await ended;
      if (code !== 0) throw new Error(`pg_basebackup ended with ${code}; see its message above.`);
    },
    async signal(name) {
      const server = pids.at(-1) ?? 0;
      const { stdout } = await promisify(execFile)('pgrep', ['-P', `${server}`]);
      for (const pid of [server, ...stdout.trim().split('\n').map(Number)]) {
        try {
          process.kill(pid, name);
        } catch (error) {
          // A session ended meanwhile.
          if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
        }
      }
    },
    log,
    cpu: () => cpuOfChildren(pids.at(-1) ?? 0),
    async end() {
      child.ref();
      child.stdin.end();
      await exited;
      await disk?.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** No more than a test writes; the memory is taken as it is used. */
const DISK_MEGABYTES = 2048;

async function mountData(folder: string, owner: Owner | undefined): Promise<SmallFolder> {
  const at = join(folder, 'data');
  await mkdir(at, { mode: 0o700 });
  return SmallFolder.make({ megabytes: DISK_MEGABYTES, at, owner });
}

/** Begins a command on the disk, as the owner of the data: in the namespace of the disk every user is root. */
function inside({ through }: SmallFolder, owner: Owner | undefined): string[] {
  if (owner)
    return [...through, 'setpriv', '--reuid', `${owner.uid}`, '--regid', `${owner.gid}`, '--clear-groups'];
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return [...through, 'unshare', '-U', `--map-user=${uid}`, `--map-group=${gid}`];
}

/** Also a process that its parent has not waited for. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

async function unpack(archive: string, folder: string, user: Owner | undefined): Promise<void> {
  const script = 'mkdir -m 700 data && tar -xf - -C data';
  const child = spawn('sh', ['-c', script], { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await pipeline(createReadStream(archive), child.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${archive} cannot be unpacked; see the message above.`);
}

function cpuOfChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  let nanoseconds = 0;
  for (const child of children.split(' ').filter(Boolean))
    nanoseconds += Number(readFileSync(`/proc/${child}/schedstat`, 'utf8').split(' ')[0]);
  return nanoseconds / 1000;
}

/** PostgreSQL refuses to run as root. */
async function unprivilegedUser(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = await readFile('/etc/passwd', 'utf8');
  for (const name of ['postgres', 'nobody']) {
    const match = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(users);
    if (match) return { uid: Number(match[1]), gid: Number(match[2]) };
  }
  throw new Error('This test needs an unprivileged user (postgres or nobody) for PostgreSQL; add one.');
}
