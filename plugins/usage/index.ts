import { COUNTED_SURFACES, type CountedSurface, LastingFailure } from '../../core/contract.ts';
import { isCoreFailure } from '../caching/core-failure.ts';
import { definePlugin, type ProjectFacet, type SurfaceFacet } from '../contract.ts';
import { CallCounts } from './call-counts.ts';
import { QuotaCounts } from './quota-counts.ts';
import { Quotas, quotaExceeded } from './quotas.ts';
import { settings } from './schema.ts';

/** Between two exchanges of counts with other gateways. */
const EXCHANGE_MS = 200;

const COUNTED: ReadonlySet<string> = new Set(COUNTED_SURFACES);

/** Counts the calls of each project, however they were answered, and refuses those beyond its quota. */
export const plugin = definePlugin({
  name: 'usage',
  phase: 'admit',
  after: ['rate-limit'],
  surfaces: COUNTED_SURFACES,
  needs: ['project', 'principal'],
  settings,
  setup({ flushSeconds }, services) {
    const counts = services.state('counts', () => new CallCounts(services.ids.newId()));
    const { usage } = services.core;
    // Shared with the pipeline before a reload, which reports calls to core for as long as an old request runs.
    const { callTotals } = services;
    const ofAll = callTotals && services.state('quota-counts', () => new QuotaCounts(callTotals));
    const quotas = services.state('quotas', () => new Quotas(usage, counts, ofAll));
    const now = () => services.clock.now().getTime();
    let running: Promise<unknown> | undefined;
    const failure = new LastingFailure();
    const timer = setInterval(flushOnce, flushSeconds * 1000).unref();
    const exchanges = ofAll && setInterval(() => ofAll.exchange(), EXCHANGE_MS).unref();

    return {
      onRequest: ({ state: { project, surface } }) => (isWithinQuota(project, surface) ? 'next' : 'handle'),
      handle: async function countUsage({ state: { project, surface } }, next) {
        const { id } = project.facts!;
        await quotas.load(id).catch((error: unknown) => {
          // Those of a period that is over refuse nothing.
          if (!quotas.isKnown(id) || !isCoreFailure(error)) throw error;
        });
        isWithinQuota(project, surface);
        return next();
      },
      onResponse({ state: { project, principal, surface, outcome } }) {
        const counted = countedOf(surface);
        // Neither rejected requests nor failures of the service count.
        if (principal === undefined || outcome.status === 429 || outcome.status >= 500) return;
        if (!project?.facts || counted === undefined) return;
        counts.add(project.facts.id, counted, now());
        quotas.called(project.facts.id, counted);
      },
      async dispose() {
        clearInterval(timer);
        clearInterval(exchanges);
        await ofAll?.exchange();
        await running;
        // The batch that is sent again, then the rest.
        if (await flush()) await flush();
      },
    };

    /** Undefined where the quotas have to be loaded. @throws quotaExceeded */
    function isWithinQuota({ facts }: ProjectFacet, surface: SurfaceFacet): true | undefined {
      const counted = countedOf(surface);
      if (facts === null || counted === undefined) return true;
      const exceeded = quotas.usedUp(facts.id, counted, now);
      if (exceeded) throw quotaExceeded(exceeded, now());
      return exceeded === null ? true : undefined;
    }

    function flushOnce(): void {
      quotas.expire(services.clock.monotonic());
      running ??= flush().finally(() => {
        running = undefined;
      });
    }

    /** @returns whether core got a batch */
    async function flush(): Promise<boolean> {
      const batch = counts.startSending();
      if (batch === undefined) return false;
      try {
        await usage.add(batch);
      } catch (error) {
        counts.sendingFailed();
        if (failure.begin()) services.log.warn({ error }, 'Calls could not be counted; they are sent again.');
        return false;
      }
      failure.end();
      // Core's counts and the pending ones change in one turn, so that a quota counts each call once.
      const current = await quotas.reread(batch.counts.map(({ project }) => project)).catch(() => []);
      quotas.adopt(current);
      counts.sent();
      return true;
    }
  },
});

function countedOf({ name }: SurfaceFacet): CountedSurface | undefined {
  return COUNTED.has(name) ? (name as CountedSurface) : undefined;
}
