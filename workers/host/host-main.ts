/** Entry point of a host process: serves requests of its parent until the parent ends. */
import { Socket } from 'node:net';
import { ENCODER_VERSION } from '../images/encoder-version.ts';
import { Channel } from '../protocol/channel.ts';
import { PROTOCOL } from '../protocol/messages.ts';
import { serveRequests } from '../protocol/serve-requests.ts';
import { type HostOptions, PARENT_SOCKET } from './host-options.ts';
import { lowerPriority } from './lower-priority.ts';
import { openTaskPool } from './task-pool.ts';

lowerPriority();

// A Ctrl-C in the terminal or a service manager that stops the whole group signals hosts too, while the service
// still drains. Hosts exit only when their socket closes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const options = JSON.parse(process.argv[2] ?? '') as HostOptions;
const channel = new Channel(new Socket({ fd: PARENT_SOCKET, readable: true, writable: true }));
// `process.exit` would wait for transforms whose results are not read any more.
channel.onClose(() => process.kill(process.pid, 'SIGKILL'));
serveRequests(channel, {
  greeting: {
    kind: 'greeting',
    protocol: PROTOCOL,
    encoder: ENCODER_VERSION,
    slots: options.concurrency,
    nonce: '',
  },
  isAuthenticated: () => true,
  run: openTaskPool(options),
});
