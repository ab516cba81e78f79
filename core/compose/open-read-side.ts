import { MemoryFeed } from '../changes/change-feed.ts';
import { changeLog } from '../changes/change-log.ts';
import { CommittedTagVersions } from '../changes/committed-tag-versions.ts';
import { GatewayFeed } from '../changes/gateway-feed.ts';
import type { DeliveryParts } from '../delivery/delivery.ts';
import { NO_LIMITS } from '../delivery/delivery-limits.ts';
import { DocumentCache } from '../delivery/document-cache.ts';
import { ListingCache } from '../delivery/listing-cache.ts';
import { QueryCache } from '../delivery/query-cache.ts';
import { ModelCache } from '../model/model-cache.ts';
import { Recompiler } from '../read-model/recompile.ts';
import { UnlistedObjects } from '../read-model/unlisted-objects.ts';
import type { CommitParticipant } from '../transaction/project-transaction.ts';
import { commitParticipants } from './commit-participants.ts';
import type { Resources } from './open-resources.ts';
import type { Duties } from './take-duties.ts';

/** The data that delivery answers from, and what keeps it current. */
export interface ReadSide {
  readonly delivery: DeliveryParts;
  /** Of this process. */
  readonly feed: MemoryFeed;
  /** Of gateways in other processes. */
  readonly gatewayFeed: GatewayFeed;
  readonly participants: readonly CommitParticipant[];
  readonly recompiler: Recompiler;
  readonly unlisted: UnlistedObjects;
}

export function openReadSide(resources: Resources, { recompilation, listing }: Duties): ReadSide {
  const { storage, operationOptions, compiled, options, clock, failed } = resources;
  const { sequence, epoch } = storage;
  const newest = { sequence, epoch };
  const participants = commitParticipants(compiled);
  const limits = options.delivery ?? NO_LIMITS;
  const gatewayFeed = new GatewayFeed(newest, {
    storage,
    read: changeLog(storage.reader({ class: 'management', share: 'feed' }), clock),
    self: options.process,
    stream: options.commitStream,
    installation: storage.registry && {
      registry: storage.registry,
      caughtUp: () => storage.caughtUp('now'),
      renewEpoch: async (seen) => storage.renewEpoch?.(seen),
      hasGateway: options.process?.().role === 'all',
      failed: failed('Other cores and their gateways are not known at present; tried again shortly.'),
    },
  });
  return {
    delivery: {
      storage,
      statementMilliseconds: limits.statementMilliseconds,
      versions: new CommittedTagVersions(newest),
      models: new ModelCache(storage),
      queries: new QueryCache(),
      listings: new ListingCache(),
      documents: new DocumentCache(),
      settings: compiled,
      queryCost: limits.queryCost,
    },
    feed: new MemoryFeed(
      gatewayFeed,
      failed('A listener of the change feed failed; its cache may be out of date.'),
    ),
    gatewayFeed,
    participants,
    recompiler: new Recompiler(
      storage,
      operationOptions,
      compiled,
      participants,
      failed('Stale documents could not be recompiled; tried again shortly.'),
      recompilation,
    ),
    unlisted: new UnlistedObjects(
      storage,
      operationOptions.newId,
      failed('Items and assets could not be entered in lists and full text; tried again shortly.'),
      listing,
    ),
  };
}
