import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, end, start } from './processes.ts';

/** A script of the benchmark in a process of its own that answers requests, one at a time. */
export interface Child<Request, Reply> {
  readonly pid: number;
  ask(request: Request): Promise<Reply>;
  end(): Promise<void>;
}

/** The messages from the child: what `answerParent` sends. */
export type Message<Reply> =
  | { readonly reply: Reply }
  | { readonly error: string }
  | { readonly progress: string };

/** @param script of this folder that calls `answerParent` */
export function startChild<Request, Reply>(
  script: string,
  options: {
    readonly progress?: (text: string) => void;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Child<Request, Reply> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const process = start(globalThis.process.execPath, ['--import', 'tsx', file], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: cleanEnvironment(options.environment),
  });
  return {
    pid: process.pid!,
    ask: (request) => ask<Reply>(process, script, request, options.progress),
    end: () => end(process),
  };
}

function ask<Reply>(
  child: ChildProcess,
  script: string,
  request: unknown,
  progress: ((text: string) => void) | undefined,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const gone = () => settle(() => reject(new Error(`${script} ended before it answered.`)));
    const received = (message: Message<Reply>) => {
      if ('progress' in message) progress?.(message.progress);
      else if ('error' in message) settle(() => reject(new Error(`${script}: ${message.error}`)));
      else settle(() => resolve(message.reply));
    };
    function settle(then: () => void): void {
      child.off('message', received);
      child.off('close', gone);
      then();
    }
    child.on('message', received);
    child.on('close', gone);
    child.send(request as object, (error) => {
      if (error) settle(() => reject(error));
    });
  });
}
