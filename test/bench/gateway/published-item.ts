import type { Dataset } from '../datasets.ts';
import { LANGUAGE, type ManagedService } from '../management/managed-service.ts';

/** An item of the project that is published repeatedly, with another title each time. */
export interface PublishedItem {
  readonly path: string;
  /** A new version, as a draft. */
  write(title: string): Promise<void>;
  /** Publishes the draft. @returns its sequence */
  release(): Promise<string>;
  /** Both. */
  publish(title: string): Promise<string>;
}

export async function publishedItem(service: ManagedService, dataset: Dataset): Promise<PublishedItem> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${service.itemsPath('limit=1&depth=0')}`);
  const { items } = (await answer.json()) as { items: { system: { id: string; codename: string } }[] };
  const { id, codename } = items[0]!.system;
  const variant = `/items/${id}/variants/${LANGUAGE}`;
  const write = async (title: string) => {
    await service.call('PUT', `${variant}/new-version`);
    await service.call('PUT', variant, { elements: [{ element: { codename: 'title' }, value: title }] });
  };
  const release = async () => {
    const url = `http://127.0.0.1:${service.port}${service.base}${variant}/publish`;
    const published = await fetch(url, { method: 'PUT', headers: service.headers });
    if (!published.ok) throw new Error(`${url} answered ${published.status}: ${await published.text()}`);
    return published.headers.get('x-svc-content-sequence') ?? '';
  };
  return {
    path: `/delivery/${dataset.project}/items/${codename}`,
    write,
    release,
    async publish(title) {
      await write(title);
      return release();
    },
  };
}
