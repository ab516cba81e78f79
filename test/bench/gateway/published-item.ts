import type { Dataset } from '../datasets.ts';
import { LANGUAGE, type ManagedService } from '../management/managed-service.ts';

/** An item of the project that is published repeatedly, with another title each time. */
export interface PublishedItem {
  readonly path: string;
  publish(title: string): Promise<void>;
}

export async function publishedItem(service: ManagedService, dataset: Dataset): Promise<PublishedItem> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${service.itemsPath('limit=1&depth=0')}`);
  const { items } = (await answer.json()) as { items: { system: { id: string; codename: string } }[] };
  const { id, codename } = items[0]!.system;
  const variant = `/items/${id}/variants/${LANGUAGE}`;
  return {
    path: `/delivery/${dataset.project}/items/${codename}`,
    async publish(title) {
      await service.call('PUT', `${variant}/new-version`);
      await service.call('PUT', variant, {
        elements: [{ element: { codename: 'title' }, value: title }],
      });
      await service.call('PUT', `${variant}/publish`);
    },
  };
}
