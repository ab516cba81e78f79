/** The layers of the gateway, from the bottom up; the rules of `core-layers.ts` hold here as well. */
export const GATEWAY_LAYERS = [
  'log.ts',
  'process-identity.ts',
  'read-authority.ts',
  'signals.ts',
  'listeners',
  'request',
  'pipeline',
  'processes',
  'redis',
  'gateway-health.ts',
  'gateway-metrics.ts',
  'gateway-report.ts',
  'serve.ts',
  // The composition roots.
  'roles',
  'cli',
] as const;
