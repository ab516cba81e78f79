/** The service with an admin token, a cached listing, and what its metrics say. */
import type { Dataset } from '../datasets.ts';
import { FIRST_ROW, fetchListing, queryOf } from '../delivery/listings.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';
import type { Service } from '../service.ts';

const ADMIN_TOKEN = 'a-token-for-the-benchmark-0123456789';

export const startCached = (dataset: Dataset, settings: Readonly<Record<string, string>> = {}) =>
  startManaged(dataset, { PIPELINE__OFF: 'rate-limit', ...settings });

/** The path of a listing of 8 to 10 kB. */
export async function listingPath(service: Service): Promise<string> {
  for (let limit = 1; limit <= 20; limit += 1) {
    const query = { ...FIRST_ROW, depth: '0', limit: String(limit) };
    const { body } = await fetchListing(service, query, limit);
    if (body.length >= 8000) return service.itemsPath(queryOf(query));
  }
  throw new Error('No listing of the project has 8 kB.');
}

/** Secure access on; answers the header that a reader needs. */
export async function secured(service: Service, dataset: Dataset): Promise<Record<string, string>> {
  const url = `http://127.0.0.1:${service.port}/admin/projects/${dataset.project}/secure-access`;
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true }),
  });
  const { primary } = (await answer.json()) as { primary: string };
  return { Authorization: `Bearer ${primary}` };
}

/** Calls of core for delivery so far: what the cache did not answer itself. */
export async function callsOfCore(service: Service): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${service.port}/metrics`);
  const lines = (await answer.text()).matchAll(
    /^headwater_metrics_cache_verdicts_total\{surface="delivery",verdict="(\w[\w-]*)"\} (\d+)/gm,
  );
  let calls = 0;
  for (const [, verdict, count] of lines) {
    if (verdict === 'miss' || verdict === 'checked' || verdict === 'bypass') calls += Number(count);
  }
  return calls;
}

export type { ManagedService };
