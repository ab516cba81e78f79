/**
 * The one list of built-in plugins, in the order in which requests pass them. A plugin that is not here does not
 * exist; importing one registers nothing.
 */
import { plugin as accessLog } from './access-log/index.ts';
import { plugin as auth } from './auth/index.ts';
import { plugin as compression } from './compression/index.ts';
import { plugin as console } from './console/index.ts';
import type { Plugin } from './contract.ts';
import { plugin as coreProxy } from './core-proxy/index.ts';
import { plugin as cors } from './cors/index.ts';
import { plugin as docs } from './docs/index.ts';
import { plugin as errorEnvelope } from './error-envelope/index.ts';
import { plugin as fileCache } from './file-cache/index.ts';
import { plugin as health } from './health/index.ts';
import { plugin as httpsOnly } from './https-only/index.ts';
import { plugin as limits } from './limits/index.ts';
import { plugin as metrics } from './metrics/index.ts';
import { plugin as project } from './project/index.ts';
import { plugin as rateLimit } from './rate-limit/index.ts';
import { plugin as requestId } from './request-id/index.ts';
import { plugin as responseCache } from './response-cache/index.ts';
import { plugin as session } from './session/index.ts';
import { plugin as usage } from './usage/index.ts';

export const plugins: readonly Plugin[] = [
  // observe: see every request, refuse none
  requestId,
  errorEnvelope,
  accessLog,

  // edge: before the key is checked
  cors,
  httpsOnly,
  limits,
  health,
  metrics,
  compression,

  // identify: project and caller
  project,
  auth,
  session,

  // admit: rate limits and quotas
  rateLimit,
  usage,

  // reuse: caches
  responseCache,
  fileCache,

  // forward: core, and what answers instead of it
  console,
  docs,
  coreProxy,
];
