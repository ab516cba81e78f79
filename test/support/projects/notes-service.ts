/** The service with one small project: notes that link to notes and show assets, in two languages. */
import { createManagementKey, createProject } from '../../../core/access/projects.ts';
import { createUser } from '../../../core/access/users.ts';
import { createItem } from '../../../core/content/items.ts';
import { createLanguage } from '../../../core/content/languages.ts';
import { createType } from '../../../core/content/types.ts';
import { upsertVariant } from '../../../core/content/variants.ts';
import type { ElementInput } from '../../../core/model/inputs.ts';
import type { ProjectTransaction } from '../../../core/transaction/project-transaction.ts';
import { type ApiClient, createApiClient } from '../clients/api-client.ts';
import { type RunningService, type ServiceOptions, startService } from '../service/start-service.ts';

export interface Answered<Body> {
  readonly status: number;
  readonly body: Body;
}

export class NotesService {
  readonly service: RunningService;
  readonly project: string;
  /** The user whose key `manage` calls with. */
  readonly user: string;
  readonly #admin: ApiClient;
  readonly #key: string;

  private constructor(service: RunningService, project: string, user: string, key: string) {
    this.service = service;
    this.project = project;
    this.user = user;
    this.#key = key;
    this.#admin = createApiClient(`${service.url}/admin`, {
      headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    });
  }

  static async start(options: ServiceOptions = {}): Promise<NotesService> {
    const service = await startService(options);
    const { operations } = service.core;
    const { id, user, key } = await operations.installation(null, async (to) => {
      const project = await createProject(to, {
        name: 'Notes',
        default_language: { name: 'English', codename: 'en' },
      });
      const projects = [{ id: project.id, capabilities: ['manage-apis'] }];
      const { id: user } = await createUser(to, { name: 'Anna', email: 'anna@example.org', projects });
      const { key } = await createManagementKey(to, project.id, user);
      return { id: project.id, user, key };
    });
    await operations.inProject(id, null, async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await createType(transaction, {
        name: 'Note',
        elements: [
          { type: 'text', name: 'Text' },
          { type: 'modular_content', name: 'Links' },
          { type: 'asset', name: 'Files' },
        ],
      });
    });
    return new NotesService(service, id, user, key);
  }

  run<T>(work: (transaction: ProjectTransaction) => Promise<T>): Promise<T> {
    return this.service.core.operations.inProject(this.project, null, work);
  }

  /** A note with a draft in each of the languages; answers its id. */
  async note(
    name: string,
    languages: readonly string[] = ['en'],
    ...elements: ElementInput[]
  ): Promise<string> {
    return this.run(async (transaction) => {
      const { id } = await createItem(transaction, { name, type: { codename: 'note' } });
      for (const codename of languages)
        await upsertVariant(
          transaction,
          { id },
          { codename },
          {
            elements: [{ element: { codename: 'text' }, value: name }, ...elements],
          },
        );
      return id;
    });
  }

  /** A call of the admin API; `path` starts behind the project's id unless it starts with `/`. */
  async admin<Body>(method: string, path: string, body?: unknown): Promise<Answered<Body>> {
    const whole = path.startsWith('/') ? path : `/projects/${this.project}/${path}`;
    const answer = await this.#admin.request<Body>(
      method,
      whole,
      body === undefined ? {} : { body: JSON.stringify(body) },
    );
    return { status: answer.status, body: answer.body };
  }

  /** A call of the management API, version 2. */
  async manage(method: string, path: string, body?: unknown): Promise<number> {
    const response = await fetch(`${this.service.url}/manage/v2/projects/${this.project}/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Codenames that readers of a language get. */
  async published(language = 'en'): Promise<string[]> {
    const response = await fetch(
      `${this.service.url}/delivery/${this.project}/items?system.language=${language}&language=${language}`,
    );
    const { items } = (await response.json()) as { items: { system: { codename: string } }[] };
    return items.map(({ system }) => system.codename);
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}
