import type { LoadClient } from './load-client.ts';

export const LANGUAGE = 'en';
/** Items that are read: `piece_0` has the title `0`. */
export const READ_ITEMS = 40;

/** Makes a project with a key, a type and published items. */
export async function prepareProject(client: LoadClient): Promise<void> {
  const project = await client.admin('/projects', {
    name: 'Load',
    default_language: { name: 'English', codename: LANGUAGE },
  });
  client.project = String(project['id']);
  const user = await client.admin('/users', {
    name: 'Load',
    email: 'load@example.com',
    projects: [{ id: client.project, capabilities: ['manage-apis'] }],
  });
  const keys = `/projects/${client.project}/management-keys`;
  client.key = String((await client.admin(keys, { user_id: user['id'] }))['key']);
  await client.manage(201, 'POST', '/types', { name: 'Piece', elements: [{ type: 'text', name: 'Title' }] });
  for (let count = 0; count < READ_ITEMS; count += 1) {
    const name = `piece ${count}`;
    await client.manage(201, 'POST', '/items', newItem(name));
    await client.manage(201, 'PUT', variantOf(name), withTitle(`${count}`));
    await client.manage(204, 'PUT', `${variantOf(name)}/publish`);
  }
}

/** @returns the path of a new asset */
export async function uploadImage(client: LoadClient, image: Uint8Array): Promise<string> {
  const file = await client.expect(200, `/manage/v2/projects/${client.project}/files/image.jpg`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'image/jpeg' },
    body: image,
  });
  const { id } = JSON.parse(file.body.toString()) as { id: string };
  const reference = { file_reference: { id, type: 'internal' }, descriptions: [] };
  const asset = await client.manage(201, 'POST', '/assets', reference);
  return new URL((JSON.parse(asset.body.toString()) as { url: string }).url).pathname;
}

export function newItem(name: string): object {
  return { name, external_id: name, type: { codename: 'piece' } };
}

export function variantOf(item: string): string {
  return `/items/external-id/${item}/variants/codename/${LANGUAGE}`;
}

export function withTitle(value: string): object {
  return { elements: [{ element: { codename: 'title' }, value }] };
}

/** Of a delivery answer for one item. */
export function titleOf(body: Buffer): string {
  const { item } = JSON.parse(body.toString()) as {
    item: { elements: { title: { value: string } } };
  };
  return item.elements.title.value;
}
