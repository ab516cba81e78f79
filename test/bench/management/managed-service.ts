import { setTimeout } from 'node:timers/promises';
import type { Dataset } from '../datasets.ts';
import { type Service, startService } from '../service.ts';

const SETTLE_MS = 50;
export const ADMIN_TOKEN = 'a-token-for-the-benchmark-0123456789';

/** The service with a key of the management API. */
export interface ManagedService extends Service {
  readonly project: string;
  /** Of the project in version 2: `/manage/v2/projects/…`. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Id of the user of the key. */
  readonly user: string;
  /** A call of the admin API, a POST where it has a body; @throws for any answer but a 2xx. */
  admin(path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** One call; @throws for any answer but a 2xx. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Resolves when no job is running. */
  settled(): Promise<void>;
}

export async function startManaged(
  dataset: Dataset,
  settings: Readonly<Record<string, string>> = {},
): Promise<ManagedService> {
  // The limits of the service must not slow the measurement.
  const service = await startService(dataset, {
    ADMIN_TOKEN,
    PIPELINE__OFF: 'rate-limit,response-cache',
    ...settings,
  });
  return managed(service, dataset);
}

/** @param service whose admin token is `ADMIN_TOKEN` */
export async function managed(service: Service, dataset: Dataset): Promise<ManagedService> {
  const send = async (
    path: string,
    authorization: string,
    method: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> => {
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const admin = (path: string, body?: unknown) =>
    send(`/admin/${path}`, `Bearer ${ADMIN_TOKEN}`, body === undefined ? 'GET' : 'POST', body);
  const user = await admin('users', {
    name: 'Bench',
    email: 'bench@example.com',
    projects: [{ id: dataset.project, capabilities: ['manage-apis'] }],
  });
  const { key } = await admin(`projects/${dataset.project}/management-keys`, { user_id: user['id'] });
  const base = `/manage/v2/projects/${dataset.project}`;
  const authorization = `Bearer ${key}`;
  return {
    ...service,
    project: dataset.project,
    base,
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    user: String(user['id']),
    admin,
    call: (method, path, body) => send(`${base}${path}`, authorization, method, body),
    async settled() {
      // A job begins a moment after the answer.
      for (let quiet = 0; quiet < 3; ) {
        await setTimeout(SETTLE_MS);
        const { jobs } = await admin('jobs');
        quiet = (jobs as { state: string }[]).some(({ state }) => state === 'running') ? 0 : quiet + 1;
      }
    },
  };
}

/** Of the generated projects. */
export const LANGUAGE = '00000000-0000-0000-0000-000000000000';

/** The ten elements of a generated item; some contain `{n}`. */
export function tenElements(): { elements: readonly object[] } {
  const value = (codename: string, content: unknown) => ({ element: { codename }, value: content });
  return {
    elements: [
      value('title', 'A title of the number {n}'),
      value('summary', 'What is said about number {n}, in a sentence of some length.'),
      value('body', '<h2>Number {n}</h2><p>Some <strong>text</strong> that is not long, and more of it.</p>'),
      value('rank', 17),
      value('published_on', '2020-01-01T00:00:00Z'),
      value('category', [{ codename: 'daily' }, { codename: 'weekly' }]),
      value('topics', [{ codename: 'topic_1' }]),
      value('related', [{ codename: 'item_1' }, { codename: 'item_2' }]),
      value('metadata__meta_title', 'Meta {n}'),
      value('metadata__meta_description', 'Described, number {n}'),
    ],
  };
}
