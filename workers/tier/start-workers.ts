import type { RunOptions, TaskName, Tasks, WorkerQueueReport, Workers } from '../contract.ts';
import { DEFAULT_LIMITS } from '../images/limits.ts';
import type { TaskLimits } from '../tasks/task.ts';
import { QUEUES, type QueueName, TASKS } from '../tasks/task-list.ts';
import type { Connection } from './connection.ts';
import type { Allocator } from './host-environment.ts';
import { startLocalHost } from './local-host.ts';
import { connectRemoteWorker, type RemoteAddress } from './remote-worker.ts';
import { WorkerQueue } from './worker-queue.ts';

/**
 * Tasks per host: while one image is finished, the next is decoded. With three instead of two, new JPEG, PNG and WebP
 * images a second were 1.06, 1.10 and 1.04 ×, twenty widths of one image took 0.95 to 0.98 of the time, and the
 * host needed 283 instead of 266 MB (2 processors, one host, `images --only cold,srcset,memory`). Large ones are two at most.
 */
export const TASKS_PER_HOST = 3;

/**
 * Memory that one idle host of a queue may keep. For images that is its size after a start, so that the next
 * image does not wait 0.3 s for a host. Without a host, core prepares batches itself.
 */
const KEPT_BYTES: Readonly<Record<QueueName, number>> = { images: 100_000_000, batches: 0 };

/** A worker on another machine may be started again; a host that does not start here will not start next time either. */
const LONGEST_PAUSE_MS = { local: 30_000, remote: 1000 };
const AWAITED_MS = { local: 0, remote: 8000 };
const LOST = {
  local: 'A worker was lost; it is started again when needed.',
  remote: 'A remote worker does not answer; it is called again when needed.',
};

export interface WorkersOptions {
  /** Host processes for images. */
  readonly hosts: number;
  /** Most waiting images; one more is refused at once. */
  readonly waiting?: number;
  /** Time limit of a task, waiting included, ms. */
  readonly milliseconds?: number;
  readonly limits?: TaskLimits;
  readonly allocator?: Allocator;
  /** Workers on other machines; with any, no image is made here. */
  readonly remotes?: readonly RemoteAddress[];
  readonly idleMilliseconds?: number;
  /** An idle host that holds more is stopped. */
  readonly keptBytes?: number;
  readonly log: Record<'info' | 'warn', (fields: object, text: string) => void>;
}

/** Starts no host yet: a queue starts its hosts with its first task. Remote workers are reached at once. */
export function startWorkers(options: WorkersOptions): Workers {
  const { remotes = [], allocator = 'auto', limits = { image: DEFAULT_LIMITS } } = options;
  const local = () => startLocalHost({ concurrency: TASKS_PER_HOST, limits }, allocator);
  const slots: Readonly<Record<QueueName, readonly (() => Promise<Connection>)[]>> = {
    images:
      remotes.length > 0
        ? remotes.map((address) => () => connectRemoteWorker(address))
        : Array.from({ length: Math.max(1, options.hosts) }, () => local),
    // A process of its own, always local: no load of images and no image that crashes its host delays a batch.
    batches: [() => startLocalHost({ concurrency: 1, limits }, allocator)],
  };
  const queues = Object.fromEntries(
    QUEUES.map((name) => [name, openQueue(name, slots[name], options)]),
  ) as Record<QueueName, WorkerQueue>;
  const report = () =>
    Object.fromEntries(QUEUES.map((name) => [name, queues[name].report()])) as Record<
      QueueName,
      WorkerQueueReport
    >;

  const reachRemotes = () => remotes.length === 0 || queues.images.reach();
  reachRemotes();

  return {
    run: <Name extends TaskName>(task: Name, input: Tasks[Name]['input'], options?: RunOptions) =>
      queues[TASKS[task].queue].run(task, input, options) as Promise<Tasks[Name]['output']>,
    refusal: (task) => queues[TASKS[task].queue].refusal(),
    report,
    health: async () => {
      const reached = reachRemotes();
      const { ok, detail } = healthOf(report());
      return { ok: ok && reached, detail };
    },
    close: async () => {
      for (const name of QUEUES) queues[name].close();
    },
  };
}

function openQueue(
  name: QueueName,
  slots: readonly (() => Promise<Connection>)[],
  options: WorkersOptions,
): WorkerQueue {
  const kind = name === 'images' && options.remotes?.length ? 'remote' : 'local';
  return new WorkerQueue({
    slots,
    longestPause: LONGEST_PAUSE_MS[kind],
    awaitedMilliseconds: AWAITED_MS[kind],
    waiting: options.waiting ?? 64,
    milliseconds: options.milliseconds ?? 10_000,
    idleMilliseconds: options.idleMilliseconds ?? 10_000,
    keptBytes: options.keptBytes ?? KEPT_BYTES[name],
    onLost: (reason, pause, lost) =>
      options.log.warn(
        { queue: name, reason, pause, tasks: lost.map(({ name: task, origin }) => ({ task, ...origin })) },
        LOST[kind],
      ),
    onBack: () => {
      if (kind === 'remote') options.log.info({ queue: name }, 'A remote worker answers.');
    },
  });
}

/** A queue is unhealthy while all its hosts are paused after failures; before its first task it is healthy. */
function healthOf(report: Readonly<Record<string, WorkerQueueReport>>): { ok: boolean; detail: string } {
  const detail = Object.entries(report).map(([name, { waiting, running, hosts, crashes }]) => {
    const open = hosts.filter(({ state }) => state === 'open').length;
    return `${name}: ${open} open, ${running} running, ${waiting} waiting, ${crashes} lost`;
  });
  const ok = Object.values(report).every(
    ({ hosts }) => hosts.length === 0 || hosts.some(({ state }) => state !== 'paused'),
  );
  return { ok, detail: detail.join('; ') };
}
