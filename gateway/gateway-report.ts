import type { Registry } from 'prom-client';
import type { ConfigEntry } from '../config/load-config.ts';
import { originText } from '../config/problem.ts';
import type { ReportRequest } from '../core/contract.ts';
import { type ProcessIdentity, SURFACES } from '../plugins/contract.ts';
import type { Pipeline } from './pipeline/pipeline.ts';

export interface ReportedGateway {
  readonly process: ProcessIdentity;
  readonly pipeline: Pick<Pipeline, 'order' | 'report' | 'requests'>;
  readonly entries: readonly ConfigEntry[];
  readonly registry: Registry;
}

/** What an operator sees of this gateway. */
export async function gatewayReport(
  { process, pipeline, entries, registry }: ReportedGateway,
  { what, after }: ReportRequest,
): Promise<unknown> {
  const { instance, role } = process;
  if (what === 'requests') return { instance, requests: pipeline.requests(after) };
  const { role: _role, ...identity } = process;
  return {
    ...identity,
    pipeline: pipeline.order,
    settings: settingsOf(entries, role),
    figures: await figuresOf(registry),
    health: await pipeline.report(),
  };
}

/** The settings in effect for a role, with their origin and without secrets. */
export function settingsOf(entries: readonly ConfigEntry[], role: ProcessIdentity['role']) {
  return entries.filter(({ roles }) => roles?.includes(role) !== false).map(settingJson);
}

function settingJson({ path, value, origin, secret, live }: ConfigEntry) {
  return {
    path,
    value: secret && value !== undefined ? '(secret)' : (value ?? null),
    origin: originText(origin),
    live,
  };
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** By surface, since the start of the process: requests, their time, what the cache did. */
async function figuresOf(registry: Registry) {
  // The counter comes first: reading it brings the others up to date.
  const [requests, verdicts, durations] = [
    await samplesOf(registry, 'requests_total'),
    await samplesOf(registry, 'cache_verdicts_total'),
    await samplesOf(registry, 'request_seconds'),
  ];
  return SURFACES.flatMap((surface) => {
    const own = (samples: readonly Sample[]) => samples.filter(({ labels }) => labels['surface'] === surface);
    const count = own(requests).reduce((sum, { value }) => sum + value, 0);
    if (count === 0) return [];
    const errors = own(requests)
      .filter(({ labels }) => Number(labels['status']) >= 500)
      .reduce((sum, { value }) => sum + value, 0);
    const buckets = own(durations)
      .filter(({ metricName }) => metricName?.endsWith('_bucket'))
      .map(({ labels, value }) => ({
        bound: Number(String(labels['le']).replace('+Inf', 'Infinity')),
        value,
      }));
    return [
      {
        surface,
        requests: count,
        errors,
        p50_ms: quantile(buckets, 0.5),
        p95_ms: quantile(buckets, 0.95),
        cache: Object.fromEntries(own(verdicts).map(({ labels, value }) => [labels['verdict'], value])),
      },
    ];
  });
}

async function samplesOf(registry: Registry, name: string): Promise<readonly Sample[]> {
  const metric = registry.getSingleMetric(`headwater_metrics_${name}`);
  return metric ? ((await metric.get()).values as readonly Sample[]) : [];
}

/**
 * Upper bound of the bucket that has the quantile, in milliseconds; null behind the last bound.
 * @param buckets cumulative, in the order of their bounds
 */
function quantile(
  buckets: readonly { readonly bound: number; readonly value: number }[],
  part: number,
): number | null {
  const total = buckets.at(-1)?.value ?? 0;
  const found = buckets.find(({ value }) => value >= part * total);
  return found && Number.isFinite(found.bound) ? found.bound * 1000 : null;
}
