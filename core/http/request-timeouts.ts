import type { Server } from 'node:http';

/** The limits of a server of `node:http`, in milliseconds; 0 = none. */
export interface RequestTimeouts {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
}

const NOTED_EVERY_MS = 500;

/** When this process last ran its timers in time, and whether what arrived during a stall is still to be read. */
let last = 0;
let isUnread = false;
let noting: NodeJS.Timeout | undefined;

/**
 * Limits the time that a request may take to arrive. Node compares the times before it reads (20.20): after a stall of
 * the process, say SIGSTOP or a paused virtual machine, it would answer 408 to requests that wait in the socket. No
 * request is too late here until what has arrived was read.
 */
export function limitRequestTimes(
  server: Pick<Server, keyof RequestTimeouts>,
  timeouts: RequestTimeouts,
): void {
  if (noting === undefined) {
    last = performance.now();
    noting = setInterval(note, NOTED_EVERY_MS).unref();
  }
  // Node reads both at each check, and checks nothing while both are 0.
  for (const name of ['headersTimeout', 'requestTimeout'] as const)
    Object.defineProperty(server, name, {
      configurable: true,
      get: () => (isUnread || isStalled() ? 0 : timeouts[name]),
    });
}

function isStalled(): boolean {
  return performance.now() - last > 2 * NOTED_EVERY_MS;
}

function note(): void {
  if (isStalled()) {
    isUnread = true;
    // Runs after sockets were read.
    setImmediate(() => {
      isUnread = false;
    });
  }
  last = performance.now();
}
