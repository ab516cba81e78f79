import type { Datasets } from '../datasets.ts';
import { LANGUAGE, type ManagedService, startManaged, tenElements } from '../management/managed-service.ts';

export const LOOPBACK_WEBHOOKS = { WEBHOOKS__ALLOW: '["127.0.0.0/8"]' };

/** The built service with webhooks, and an item that is published repeatedly. */
export interface PublishingService extends ManagedService {
  /** Of the webhooks. */
  readonly webhooks: readonly string[];
  newVersion(): Promise<unknown>;
  /** One notification for each webhook. */
  publish(): Promise<unknown>;
}

/** @returns the id of a webhook for every change */
export async function addWebhook(service: ManagedService, url: string): Promise<string> {
  const made = (await service.call('POST', '/webhooks', {
    name: 'Bench',
    url,
    secret: 'a-secret-of-the-benchmark',
    triggers: { delivery_api_content_changes: [], workflow_step_changes: [] },
  })) as { readonly id: string };
  return made.id;
}

/** @param name of its data folder, for a measure that starts several */
export async function startPublishing(
  datasets: Datasets,
  name: string,
  urls: readonly string[],
): Promise<PublishingService> {
  const folder = await datasets.copy(await datasets.of(1000), name);
  const service = await startManaged(folder, LOOPBACK_WEBHOOKS);
  const webhooks: string[] = [];
  for (const url of urls) webhooks.push(await addWebhook(service, url));
  const item = '/items/external-id/published';
  const variant = `${item}/variants/${LANGUAGE}`;
  await service.call('PUT', item, { name: 'Published', type: { codename: 'article' } });
  await service.call('PUT', variant, tenElements());
  return {
    ...service,
    webhooks,
    newVersion: () => service.call('PUT', `${variant}/new-version`),
    publish: () => service.call('PUT', `${variant}/publish`),
  };
}
