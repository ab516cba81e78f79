import type { LoadClient } from './load-client.ts';
import { newItem, titleOf, variantOf, withTitle } from './load-project.ts';

/** Creates an item, then publishes version after version of it, one request at a time. */
export class Writer {
  readonly #name: string;
  readonly #client: LoadClient;
  #version = 0;
  /** The newest version whose publish was acknowledged. */
  #published = 0;
  #next: 'create' | 'write' | 'publish' | 'new-version' = 'create';
  isBusy = false;

  constructor(client: LoadClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  get next(): string {
    return `${this.#next} ${this.#name}`;
  }

  /** @throws Error where the request fails */
  async step(): Promise<void> {
    this.isBusy = true;
    try {
      await this.#step();
    } finally {
      this.isBusy = false;
    }
  }

  /** A sentence where delivery lacks what was acknowledged. */
  async lost(): Promise<string | undefined> {
    if (this.#published === 0) return undefined;
    const path = `/delivery/${this.#client.project}/items/${this.#name.replace(' ', '_')}?depth=0`;
    const headers = { 'x-svc-wait-for-loading-new-content': 'true' };
    const title = titleOf((await this.#client.expect(200, path, { headers })).body);
    return Number(title) >= this.#published
      ? undefined
      : `${this.#name} has ${title}, not ${this.#published}`;
  }

  async #step(): Promise<void> {
    const variant = variantOf(this.#name);
    switch (this.#next) {
      case 'create':
        await this.#client.manage(201, 'POST', '/items', newItem(this.#name));
        this.#next = 'write';
        return;
      case 'write':
        this.#version += 1;
        await this.#client.manage(
          this.#version === 1 ? 201 : 200,
          'PUT',
          variant,
          withTitle(`${this.#version}`),
        );
        this.#next = 'publish';
        return;
      case 'publish':
        await this.#client.manage(204, 'PUT', `${variant}/publish`);
        this.#published = this.#version;
        this.#next = 'new-version';
        return;
      case 'new-version':
        await this.#client.manage(204, 'PUT', `${variant}/new-version`);
        this.#next = 'write';
    }
  }
}
