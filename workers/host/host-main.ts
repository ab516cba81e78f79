/** The entry of a host process: serves requests of the process that started it, until that is gone. */
import { Socket } from 'node:net';
import { ENCODER_VERSION } from '../images/encoder-version.ts';
import { Channel } from '../protocol/channel.ts';
import { PROTOCOL } from '../protocol/messages.ts';
import { serveRequests } from '../protocol/serve-requests.ts';
import { type HostOptions, PARENT_SOCKET } from './host-options.ts';
import { openTaskPool } from './task-pool.ts';

// A Ctrl-C in the terminal, a service manager that stops a whole group: both reach hosts too, while the service
// still answers what it has begun. Hosts leave when their socket closes, and at no other time.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const options = JSON.parse(process.argv[2] ?? '') as HostOptions;
const channel = new Channel(new Socket({ fd: PARENT_SOCKET, readable: true, writable: true }));
// Not `process.exit`: that waits for the transforms that nobody wants any more.
channel.onClose(() => process.kill(process.pid, 'SIGKILL'));
serveRequests(channel, {
  greeting: {
    kind: 'greeting',
    protocol: PROTOCOL,
    encoder: ENCODER_VERSION,
    slots: options.slots,
    nonce: '',
  },
  isKnown: () => true,
  run: openTaskPool(options),
});
