import type { Benchmark } from '../benchmark.ts';
import { coreKilled } from './core-killed.ts';
import { coreOverHttp } from './core-over-http.ts';
import { freshEverywhere, freshTwoCores } from './fresh-everywhere.ts';
import { gatewayProcesses } from './gateway-processes.ts';
import { gatewayStart } from './gateway-start.ts';
import { keysRegenerated, keysTwoCores } from './keys-regenerated.ts';
import { largeBodies } from './large-bodies.ts';
import { notifiedReads } from './notified-reads.ts';
import { postgresMove } from './postgres-move.ts';
import { postgresNotifications } from './postgres-notifications.ts';
import { postgresPages } from './postgres-pages.ts';
import { postgresUpserts } from './postgres-upserts.ts';
import { publishDuringImport } from './publish-during-import.ts';
import { freshRedis, manyGateways } from './redis-feed.ts';
import { redisAdded, redisAway, redisLimits } from './redis-limits.ts';
import { requestCpu } from './request-cpu.ts';
import { rollingRestart } from './rolling-restart.ts';
import { s3Files } from './s3-files.ts';
import { hundredGateways } from './simulate/hundred-gateways.ts';

export const scale: Benchmark = {
  name: 'scale',
  about: 'gateways and cores as processes of their own, and PostgreSQL: what it costs, how fresh it stays',
  measures: [
    coreOverHttp,
    largeBodies,
    freshEverywhere,
    keysRegenerated,
    gatewayStart,
    gatewayProcesses,
    postgresPages,
    postgresUpserts,
    publishDuringImport,
    postgresNotifications,
    postgresMove,
    freshTwoCores,
    keysTwoCores,
    notifiedReads,
    coreKilled,
    rollingRestart,
    requestCpu,
    hundredGateways,
    redisLimits,
    redisAdded,
    redisAway,
    freshRedis,
    manyGateways,
    s3Files,
  ],
};
