/**
 * A core with faults that gateways reach until the process is killed.
 *
 *     node killed-core.mjs <data folder> <address> <round> <seed> [origin of the clock]
 */

import { Registry } from 'prom-client';
import { loadConfig } from '../../../.build/config/load-config.js';
import { serveCore } from '../../../.build/core/remote/server/serve-core.js';
import { openCommitWriter } from '../../../.build/gateway/redis/open-commit-writer.js';
import { filesBucket } from '../../../.build/gateway/roles/files-bucket.js';
import { startFaultyCore } from './faulty-core.mjs';

const [, , folder, listen, round, seed, origin] = process.argv;
const noLog = { info() {}, warn() {}, error() {} };
const { settings } = await loadConfig({ environment: process.env }, {});
const core = await startFaultyCore({
  folder,
  round,
  seed,
  isQuiet: false,
  origin: origin === undefined ? undefined : Number(origin),
  filesBucket: filesBucket(settings),
  commitStream: await openCommitWriter(settings, () => noLog, new Registry()),
});
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
  log: noLog,
});
process.stdout.write('{"ready":true}\n');
