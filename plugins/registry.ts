/**
 * The one list of built-in plugins, in the order a request meets them. A plugin that is not here does not
 * exist; nothing registers itself by being imported.
 */
import { plugin as accessLog } from './access-log/index.ts';
import { plugin as auth } from './auth/index.ts';
import { plugin as compression } from './compression/index.ts';
import type { Phase, Plugin } from './contract.ts';
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
import { plugin as usage } from './usage/index.ts';

/** The place of a plugin that is still to come. */
export interface PlannedPlugin {
  readonly planned: string;
  readonly phase: Phase;
  readonly purpose: string;
}

export const PIPELINE: readonly (Plugin | PlannedPlugin)[] = [
  // observe: see everything, refuse nothing
  requestId,
  errorEnvelope,
  accessLog,

  // edge: before anybody asks who calls
  cors,
  httpsOnly,
  limits,
  health,
  metrics,
  compression,

  // identify: which project, who calls
  project,
  auth,

  // admit: how often, how much in all
  rateLimit,
  usage,

  // reuse: has it been answered before
  responseCache,
  fileCache,

  // forward: who answers
  { planned: 'console', phase: 'forward', purpose: 'the web application' },
  docs,
  coreProxy,
];

export const plugins: readonly Plugin[] = PIPELINE.filter((entry) => 'setup' in entry);
