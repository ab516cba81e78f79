/** Copies of the sample project: each is used until mutated requests have changed too much of it. */
import { randomUUID } from 'node:crypto';
import type { ApiCalls } from './api-calls.ts';
import { ADMIN_TOKEN, type ProbedService } from './attack-service.ts';
import { KnownValues } from './known-values.ts';

/** Items of a copy that get a new version. */
const DRAFTS = 10;

/** Exports the only project there is. */
export async function exportProject(service: ProbedService): Promise<Uint8Array<ArrayBuffer>> {
  const { projects } = await admin<{ readonly projects: readonly { readonly id: string }[] }>(
    service,
    'GET',
    '/projects',
  );
  const answer = await fetch(`${service.url}/admin/projects/${projects[0]!.id}/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  if (!answer.ok) throw new Error(`The export was answered with ${answer.status}: ${await answer.text()}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** A copy of it with keys, and what is in it. */
export async function importCopy(
  service: ProbedService,
  calls: ApiCalls,
  archive: Uint8Array<ArrayBuffer>,
): Promise<KnownValues> {
  const { id: project } = await admin<{ readonly id: string }>(
    service,
    'POST',
    `/projects/import?id=${randomUUID()}`,
    archive,
  );
  const user = await addUser(service, project);
  const { key: managementKey } = await admin<{ readonly key: string }>(
    service,
    'PUT',
    `/projects/${project}/management-api`,
    { enabled: true, user_id: user },
  );
  const { key: previewKey } = await admin<{ readonly key: string }>(
    service,
    'POST',
    `/projects/${project}/keys/preview-primary/regenerate`,
  );
  const { id: other } = await admin<{ readonly id: string }>(service, 'POST', '/projects', { name: 'Spare' });
  const otherUser = await addUser(service, other);
  const key = await admin<{ readonly id: string }>(service, 'POST', `/projects/${other}/management-keys`, {
    user_id: otherUser,
  });
  const person = await addUser(service, project, { operator: true });
  const [session, cookie] = [await signIn(service, person), await signIn(service, person)];
  const spare = {
    project: other,
    user: otherUser,
    key: key.id,
    session: await idOfSession(service, session),
  };
  await prepare(service, project, managementKey);
  return KnownValues.of(
    { url: service.url, project, adminToken: ADMIN_TOKEN, previewKey, managementKey, cookie, spare },
    calls,
  );
}

/** Drafts that may be written, and a webhook. */
async function prepare(service: ProbedService, project: string, key: string): Promise<void> {
  const manage = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${service.url}/manage/v2/projects/${project}/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json().catch(() => undefined)) as unknown;
  };
  await manage('POST', 'webhooks', {
    name: 'Receiver',
    url: 'https://receiver.invalid/',
    triggers: { delivery_api_content_changes: [{ type: 'content_item_variant', operations: ['publish'] }] },
  });
  const { items } = (await manage('GET', 'items')) as { readonly items: readonly { readonly id: string }[] };
  for (const { id } of items.slice(0, DRAFTS))
    await manage('PUT', `items/${id}/variants/codename/en/new-version`);
}

async function addUser(service: ProbedService, project: string, more: object = {}): Promise<string> {
  const { id } = await admin<{ readonly id: string }>(service, 'POST', '/users', {
    name: 'Attacker',
    email: `attacker-${randomUUID()}@example.org`,
    projects: [{ id: project, capabilities: ['manage-apis'] }],
    ...more,
  });
  return id;
}

/** @returns the cookie of a new session */
async function signIn(service: ProbedService, user: string): Promise<string> {
  const { token } = await admin<{ readonly token: string }>(service, 'POST', `/users/${user}/sign-in-link`);
  const answer = await fetch(`${service.url}/console/api/session/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-headwater-console': '1', origin: service.url },
    body: JSON.stringify({ token }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`Signing in was answered with ${answer.status}.`);
  return cookie;
}

async function idOfSession(service: ProbedService, cookie: string): Promise<string> {
  const answer = await fetch(`${service.url}/console/api/sessions`, { headers: { cookie } });
  const { sessions } = (await answer.json()) as {
    readonly sessions: readonly { readonly id: string; readonly is_current: boolean }[];
  };
  return sessions.find(({ is_current: isCurrent }) => isCurrent)!.id;
}

async function admin<Body>(
  service: ProbedService,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const isBytes = body instanceof Uint8Array;
  const answer = await fetch(`${service.url}/admin${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(body !== undefined && { 'content-type': isBytes ? 'application/x-tar' : 'application/json' }),
    },
    ...(body !== undefined && { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text) as Body;
}
