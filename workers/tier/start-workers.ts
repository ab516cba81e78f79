import type { LaneReport, RunOptions, TaskName, Tasks, Workers } from '../contract.ts';
import { DEFAULT_LIMITS } from '../images/limits.ts';
import type { TaskLimits } from '../tasks/task.ts';
import { LANES, type LaneName, TASKS } from '../tasks/task-list.ts';
import type { Connection } from './connection.ts';
import type { Allocator } from './host-environment.ts';
import { Lane } from './lane.ts';
import { startLocalHost } from './local-host.ts';
import { connectRemoteWorker, type RemoteAddress } from './remote-worker.ts';

/** Tasks a host does at once: while one picture waits for its last bytes, another one is decoded. */
export const SLOTS_PER_HOST = 2;

/**
 * Memory that one idle host of a lane may keep: what it has when it has just started, so that the next picture need
 * not wait 0.3 s for one. Batches are signed by who asks where no host is there yet.
 */
const KEPT_BYTES: Readonly<Record<LaneName, number>> = { images: 100_000_000, batches: 0 };

export interface WorkersOptions {
  /** Host processes for pictures. */
  readonly hosts: number;
  /** Pictures that may wait; one more is refused at once. */
  readonly waiting?: number;
  /** Longest time a task may take, waiting included, in milliseconds. */
  readonly milliseconds?: number;
  readonly limits?: TaskLimits;
  readonly allocator?: Allocator;
  /** Workers on other machines; pictures are made there and not here when any is given. */
  readonly remotes?: readonly RemoteAddress[];
  readonly idleMilliseconds?: number;
  /** An idle host that holds more is ended. */
  readonly keptBytes?: number;
  readonly log: { warn(fields: object, text: string): void };
}

/** Starts nothing yet: hosts come with the first task of their lane. */
export function startWorkers(options: WorkersOptions): Workers {
  const { remotes = [], allocator = 'auto', limits = { image: DEFAULT_LIMITS } } = options;
  const local = () => startLocalHost({ slots: SLOTS_PER_HOST, limits }, allocator);
  const places: Readonly<Record<LaneName, readonly (() => Promise<Connection>)[]>> = {
    images:
      remotes.length > 0
        ? remotes.map((address) => () => connectRemoteWorker(address))
        : Array.from({ length: Math.max(1, options.hosts) }, () => local),
    // Its own process, always here: no storm of pictures and no picture that kills its host delays a batch.
    batches: [() => startLocalHost({ slots: 1, limits }, allocator)],
  };
  const lanes = Object.fromEntries(
    LANES.map((name) => [name, openLane(name, places[name], options)]),
  ) as Record<LaneName, Lane>;
  const report = () =>
    Object.fromEntries(LANES.map((name) => [name, lanes[name].report()])) as Record<LaneName, LaneReport>;

  return {
    run: <Name extends TaskName>(task: Name, input: Tasks[Name]['input'], { deadline }: RunOptions = {}) =>
      lanes[TASKS[task].lane].run(task, input, deadline) as Promise<Tasks[Name]['output']>,
    refusal: (task) => lanes[TASKS[task].lane].refusal(),
    report,
    health: async () => healthOf(report()),
    close: async () => {
      for (const name of LANES) lanes[name].close();
    },
  };
}

function openLane(
  name: LaneName,
  places: readonly (() => Promise<Connection>)[],
  options: WorkersOptions,
): Lane {
  return new Lane({
    places,
    waiting: options.waiting ?? 64,
    milliseconds: options.milliseconds ?? 10_000,
    idleMilliseconds: options.idleMilliseconds ?? 10_000,
    keptBytes: options.keptBytes ?? KEPT_BYTES[name],
    onLost: (reason, pause) =>
      options.log.warn({ lane: name, reason, pause }, 'A worker was lost; it is started again when needed.'),
  });
}

/** Lanes that cannot start anything say so; one that has had no task yet is well. */
function healthOf(report: Readonly<Record<string, LaneReport>>): { ok: boolean; detail: string } {
  const detail = Object.entries(report).map(([name, { waiting, running, hosts, crashes }]) => {
    const open = hosts.filter(({ state }) => state === 'open').length;
    return `${name}: ${open} open, ${running} running, ${waiting} waiting, ${crashes} lost`;
  });
  const ok = Object.values(report).every(
    ({ hosts }) => hosts.length === 0 || hosts.some(({ state }) => state !== 'paused'),
  );
  return { ok, detail: detail.join('; ') };
}
