/** A project with content of every kind and a paused webhook, and the APIs that change it. */

import { randomUUID } from 'node:crypto';
import type { Upcoming } from '../../../core/webhooks/queues/queue-types.ts';
import { WebhookQueueStore } from '../../../core/webhooks/queues/webhook-queue-store.ts';
import { isBytes } from '../clients/api-client.ts';
import { managementKey } from '../projects/manage-service.ts';
import { ADMIN_TOKEN, type RunningService, startService } from '../service/start-service.ts';

export interface PlannedNotification {
  /** `content_item publish` */
  readonly event: string;
  /** `codename/language`, sorted. */
  readonly items: readonly string[];
  readonly taxonomies: readonly string[];
}

export interface NoteOptions {
  /** Languages it has a draft in. */
  readonly in?: readonly string[];
  /** Of those, which are published. */
  readonly published?: readonly string[];
  /** Codenames of other notes. */
  readonly links?: readonly string[];
  readonly assets?: readonly string[];
  readonly terms?: readonly string[];
  /** Of a component in its text. */
  readonly componentTerms?: readonly string[];
  readonly sitemap?: readonly string[];
  readonly type?: string;
}

export class EntryPointProject {
  readonly service: RunningService;
  readonly project: string;
  readonly #key: string;
  #queue = 0;
  #seen = 0;
  #count = 0;

  private constructor(service: RunningService, project: string, key: string) {
    this.service = service;
    this.project = project;
    this.#key = key;
  }

  static async open(): Promise<EntryPointProject> {
    const service = await startService({ unlimited: true });
    const response = await fetch(`${service.url}/admin/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Doors', default_language: { name: 'English', codename: 'en' } }),
    });
    const { id } = (await response.json()) as { id: string };
    const { key } = await managementKey(service.core, id);
    const world = new EntryPointProject(service, id, key);
    await world.#fill();
    return world;
  }

  async #fill(): Promise<void> {
    await this.v2('POST', 'languages', { name: 'German', codename: 'de' });
    await this.v2('POST', 'taxonomies', { name: 'Topics', terms: [{ name: 'Sea' }, { name: 'Land' }] });
    await this.v2('POST', 'snippets', { name: 'Seo', elements: [{ type: 'text', name: 'Title' }] });
    await this.admin('PUT', 'sitemap', {
      nodes: [
        { name: 'Home', codename: 'home' },
        { name: 'News', codename: 'news' },
      ],
    });
    await this.v2('POST', 'types', {
      name: 'Note',
      elements: [
        { type: 'text', name: 'Text', codename: 'text' },
        { type: 'modular_content', name: 'Links', codename: 'links' },
        { type: 'asset', name: 'Files', codename: 'files' },
        { type: 'taxonomy', name: 'Topics', codename: 'topics', taxonomy_group: { codename: 'topics' } },
        { type: 'rich_text', name: 'Body', codename: 'body' },
        { type: 'snippet', codename: 'seo', snippet: { codename: 'seo' } },
      ],
    });
    const webhook = await this.v2<{ id: string }>('POST', 'webhooks', {
      name: 'All',
      url: 'https://example.com/hook',
      triggers: {},
    });
    await this.v2('PUT', `webhooks/${webhook.id}/disable`);
    const { sql } = this.service.core.operations.storage;
    const row = await sql.get<{ number: number }>('SELECT number FROM webhook_lane WHERE webhook = ?', [
      webhook.id,
    ]);
    this.#queue = row?.number ?? 0;
  }

  v2<Body = void>(method: string, path: string, body?: unknown): Promise<Body> {
    return this.#call(method, `manage/v2/projects/${this.project}/${path}`, this.#key, body);
  }

  v1<Body = void>(method: string, path: string, body?: unknown): Promise<Body> {
    return this.#call(method, `manage/v1/projects/${this.project}/${path}`, this.#key, body);
  }

  /** Path below the project's id; `/` for the installation. */
  admin<Body = void>(method: string, path: string, body?: unknown): Promise<Body> {
    const whole = path.startsWith('/') ? `admin${path}` : `admin/projects/${this.project}/${path}`;
    return this.#call(method, whole, ADMIN_TOKEN, body);
  }

  async #call<Body>(method: string, path: string, key: string, body: unknown): Promise<Body> {
    const ready = isBytes(body);
    const response = await fetch(`${this.service.url}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': ready ? 'text/plain' : 'application/json' }),
      },
      ...(body !== undefined && { body: ready ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined) as Body;
  }

  /** Creates a note; returns its codename. */
  async note(options: NoteOptions = {}): Promise<string> {
    const { published = [], links = [], assets = [], terms = [], sitemap = [] } = options;
    const name = `n${++this.#count}`;
    await this.v2('POST', 'items', {
      name,
      type: { codename: options.type ?? 'note' },
      sitemap_locations: sitemap.map((codename) => ({ codename })),
    });
    for (const language of options.in ?? ['en']) {
      const elements = [
        { element: { codename: 'text' }, value: name },
        { element: { codename: 'links' }, value: links.map((codename) => ({ codename })) },
        { element: { codename: 'files' }, value: assets.map((id) => ({ id })) },
        { element: { codename: 'topics' }, value: terms.map((codename) => ({ codename })) },
        ...(options.componentTerms ? [bodyWithComponent(options.componentTerms)] : []),
      ];
      await this.v2('PUT', `items/codename/${name}/variants/codename/${language}`, {
        elements: options.type === undefined ? elements : elements.slice(0, 1),
      });
    }
    for (const language of published) await this.publish(name, language);
    return name;
  }

  /** In English, published. */
  async published(options: NoteOptions = {}): Promise<string> {
    return this.note({ published: ['en'], ...options });
  }

  /** A published note with references to files that may not exist. */
  async publishedWithFiles(value: readonly Readonly<Record<string, string>>[]): Promise<string> {
    const note = await this.note();
    await this.variant('PUT', note, 'en', '', { elements: [{ element: { codename: 'files' }, value }] });
    await this.publish(note);
    return note;
  }

  publish(note: string, language = 'en'): Promise<void> {
    return this.variant('PUT', note, language, 'publish');
  }

  variant(method: string, note: string, language: string, what = '', body?: unknown): Promise<void> {
    return this.v2(method, `items/codename/${note}/variants/codename/${language}${what && `/${what}`}`, body);
  }

  async idOf(note: string): Promise<string> {
    return (await this.v2<{ id: string }>('GET', `items/codename/${note}`)).id;
  }

  async asset(): Promise<string> {
    const file = await this.v2('POST', 'files/note.txt', Buffer.from(`file ${++this.#count}`));
    return (await this.v2<{ id: string }>('POST', 'assets', { file_reference: file, descriptions: [] })).id;
  }

  name(): string {
    return `made_${++this.#count}`;
  }

  /** Starts counting notifications. */
  async begin(): Promise<void> {
    this.#seen = (await this.upcoming()).length;
  }

  /** Notifications since `begin`. */
  async notified(): Promise<PlannedNotification[]> {
    return (await this.upcoming()).slice(this.#seen).map(({ message }) => ({
      event: `${message.type} ${message.operation}`,
      items: message.items
        .map((item) => ('codename' in item ? `${item.codename}/${item.language}` : ''))
        .sort(),
      taxonomies: message.taxonomies.map(({ codename }) => codename),
    }));
  }

  upcoming(): Promise<Upcoming[]> {
    return new WebhookQueueStore(this.service.core.operations.storage).upcoming(this.#queue, 10_000);
  }

  close(): Promise<void> {
    return this.service.stop();
  }
}

function bodyWithComponent(terms: readonly string[]): object {
  const id = randomUUID();
  const topics = { element: { codename: 'topics' }, value: terms.map((codename) => ({ codename })) };
  return {
    element: { codename: 'body' },
    value: `<object type="application/service" data-type="component" data-id="${id}"></object>`,
    components: [{ id, type: { codename: 'note' }, elements: [topics] }],
  };
}
