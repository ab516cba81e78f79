/**
 * A core with faults that gateways reach until the process is killed.
 *
 *     node killed-core.mjs <data folder> <address> <round> <seed>
 */
import { serveCore } from '../../../.build/core/remote/server/serve-core.js';
import { startFaultyCore } from './faulty-core.mjs';

const [, , folder, listen, round, seed] = process.argv;
const core = await startFaultyCore({ folder, round, seed, isQuiet: false });
const started = new Date().toISOString();
await serveCore({
  core,
  token: process.env.HEADWATER_INTERNAL_TOKEN,
  listen,
  metrics: async () => ({ type: 'text/plain', text: '' }),
  self: () => ({
    role: 'core',
    instance: `core-${round}`,
    version: '0.0.0',
    started,
    address: listen,
    configuration: null,
    protocol: null,
  }),
  slowMilliseconds: 0,
  log: { info() {}, warn() {}, error: (fields, text) => process.stderr.write(`${text} ${fields.err}\n`) },
});
process.stdout.write('{"ready":true}\n');
