import { type TaskName, type Tasks, WorkerError } from '../contract.ts';
import { isTaskName } from '../tasks/task-list.ts';
import { AUTHENTICATED_LIMITS, type Channel } from './channel.ts';
import type { Greeting, Introduction, Message, Request } from './messages.ts';
import { pack, unpack } from './packed-record.ts';

export type TaskOptions = Pick<Request, 'milliseconds' | 'origin' | 'sharesSource' | 'isLarge'>;

export type RunTask = <Name extends TaskName>(
  task: Name,
  input: Tasks[Name]['input'],
  options: TaskOptions,
) => Promise<Tasks[Name]['output']>;

/** The worker's side: sends the greeting, authenticates, and answers requests in the order they finish. */
export function serveRequests(
  channel: Channel,
  options: {
    readonly greeting: Greeting;
    readonly isAuthenticated: (introduction: Introduction) => boolean;
    readonly run: RunTask;
  },
): void {
  let authenticated = false;
  channel.onMessage((message, bytes) => {
    if (authenticated && message.kind === 'request') {
      answer(channel, options.run, message, bytes);
      return;
    }
    authenticated = isIntroduction(message) && options.isAuthenticated(message);
    if (!authenticated) {
      channel.close();
      return;
    }
    channel.limits = AUTHENTICATED_LIMITS;
    channel.send({ kind: 'welcome' });
  });
  channel.send(options.greeting);
}

/** The client is not authenticated yet, so its message is not trusted. */
function isIntroduction(message: Message): message is Introduction {
  return message.kind === 'introduction' && typeof message.proof === 'string';
}

async function answer(channel: Channel, run: RunTask, request: Request, bytes: Uint8Array): Promise<void> {
  const { id, task } = request;
  try {
    if (!isTaskName(task)) throw new WorkerError('refused', `There is no task '${task}'.`);
    const input = unpack(request, bytes) as Tasks[TaskName]['input'];
    const { bytes: parts, ...packed } = pack(await run(task, input, request));
    channel.send({ kind: 'result', id, resident: process.memoryUsage.rss(), ...packed }, parts);
  } catch (error) {
    const { failure, message, retryAfter } = asWorkerError(error);
    const resident = process.memoryUsage.rss();
    channel.send({ kind: 'failure', id, failure, message, retryAfter, resident });
  }
}

/** An unexpected error recurs with the same input, so it counts as `refused`. */
export function asWorkerError(error: unknown): WorkerError {
  if (error instanceof WorkerError) return error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new WorkerError('refused', message, undefined, { cause: error });
}
