/**
 * One process at a time prepares a folder. Plain JavaScript with built-in modules only, because it runs on a fresh clone.
 *
 * Each process that prepares has a file of its own in `.build`, which `npm ci` and builds leave alone: its host and its
 * namespace of process ids, then a line `<pid> <start>` for it and for each program that it has started. It makes its file
 * first, and looks for others then: of two, at least one sees the other. A file whose processes have all ended holds nothing,
 * and anyone may remove it.
 */
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const NAME = 'preparing-';
/** Shortest time between two looks; the longest is twice this. */
const LOOK_MS = 100;
const ALIVE_MS = 5_000;
/** A process of another host or container that shares the folder has ended when its file is that old. */
const SILENT_MS = 60_000;

/**
 * Waits until no other process prepares the folder.
 *
 * @param {string} folder of the build
 * @param {(holder: string) => void} onWait is called once where it has to wait: `4711`, or `4711 on web-2`
 * @returns {Promise<{ cover(pid: number): void, release(): void } | undefined>} `cover`: the lock also holds while that
 *   program runs, where this process is killed. undefined: the folder cannot be written, so the work that needs it says so
 */
export async function lockPreparation(folder, onWait) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch {
    return undefined;
  }
  const own = join(folder, NAME + randomUUID());
  for (let hasSaid = false; ; ) {
    let holder = holderBeside(folder, own);
    if (holder === undefined) {
      writeOwn(own);
      holder = holderBeside(folder, own);
      if (holder === undefined) return held(own);
      rmSync(own, { force: true });
    }
    if (!hasSaid && holder !== '') {
      hasSaid = true;
      onWait(holder);
    }
    // Two that have seen each other look again at different times.
    await pause(LOOK_MS * (1 + Math.random()));
  }
}

function writeOwn(own) {
  try {
    writeFileSync(own, `${place()}\n${lineOf(process.pid)}`, { flag: 'wx' });
  } catch (error) {
    // Where the disk is full there is an empty one, for which the next process would wait.
    rmSync(own, { force: true });
    throw error;
  }
}

function held(own) {
  const change = (work) => {
    try {
      work();
    } catch {
      // Someone has removed the folder of the build.
    }
  };
  const now = () => Date.now() / 1000;
  const timer = setInterval(() => change(() => utimesSync(own, now(), now())), ALIVE_MS);
  return {
    cover: (pid) => change(() => appendFileSync(own, lineOf(pid))),
    release() {
      clearInterval(timer);
      rmSync(own, { force: true });
    },
  };
}

/** @returns which process prepares the folder; empty: one whose file is just being written */
function holderBeside(folder, own) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(NAME) || path === own) continue;
    const holder = holderOf(path);
    if (holder !== undefined) return holder;
    rmSync(path, { force: true });
  }
  return undefined;
}

function holderOf(path) {
  try {
    const { mtimeMs } = statSync(path);
    const [its, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
    const processes = lines.map((line) => line.split(' '));
    if (its === place()) return processes.find(([pid, start]) => isRunning(Number(pid), start))?.[0];
    if (Date.now() - mtimeMs > SILENT_MS) return undefined;
    return its === '' ? '' : `${processes[0]?.[0]} on ${its.split(' ')[0]}`;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Where a process id means the same process: a container may have the name of its host. */
function place() {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function isRunning(pid, start) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return now === '' || now === start;
}

function lineOf(pid) {
  return `${pid} ${startOf(pid)}\n`;
}

/** Tells a process from a later one with the same id, as in a container that was started again. Empty where there is no /proc. */
function startOf(pid) {
  try {
    // Behind the name of the program: its state first, its start as the 20th.
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return facts[0] === 'Z' ? 'ended' : facts[19];
  } catch {
    return '';
  }
}
