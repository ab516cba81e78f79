/** No import holds the main thread for more than 50 ms of CPU time, whatever is in a row: larger work yields. */

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { readEntries, type TarEntry, writeEntries } from '../support/archives/tar-entries.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { leastOf } from '../support/measure/least-of.ts';
import { LONGEST_ALLOWED_MS } from '../support/measure/longest-allowed.ts';
import { withoutSlowMemory } from '../support/measure/new-memory.ts';
import { startWatched, type WatchedServer } from '../support/measure/watched-server.ts';
import { ADMIN_TOKEN } from '../support/service/start-service.ts';

const MB = 1_000_000;
/** Megabytes of what takes twice as long as is allowed also at the smaller size, if nothing yields. */
const SLOW = isLongForm ? 15 : 6;

interface Version {
  elements: string;
}

const many = (count: number, one: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => one(at)).join('');
const id = (at: number) => `11111111-1111-4111-8111-${String(at).padStart(12, '0')}`;

describe('the longest run of the main thread while an archive is imported', () => {
  let server: WatchedServer;
  let entries: TarEntry[];
  /** Ids of the elements. */
  let body: string;
  let links: string;

  const admin = (method: string, path: string, json?: unknown) =>
    fetch(`${server.url}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  before(async () => {
    server = await startWatched();
    const { id: project } = (await (await admin('POST', '/projects', { name: 'x' })).json()) as {
      id: string;
    };
    const projects = [{ id: project, capabilities: ['manage-apis'] }];
    const user = (await (
      await admin('POST', '/users', { name: 'A', email: 'a@example.com', projects })
    ).json()) as { id: string };
    const { key } = (await (
      await admin('PUT', `/projects/${project}/management-api`, { enabled: true, user_id: user.id })
    ).json()) as { key: string };
    const v2 = async (method: string, path: string, json: unknown) =>
      (
        await fetch(`${server.url}/manage/v2/projects/${project}${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(json),
        })
      ).json();
    const type = (await v2('POST', '/types', {
      name: 'Article',
      elements: [
        { type: 'rich_text', name: 'Body' },
        { type: 'modular_content', name: 'Links' },
      ],
    })) as { elements: readonly [{ id: string }, { id: string }] };
    body = type.elements[0].id;
    links = type.elements[1].id;
    for (let at = 0; at < 2; at += 1)
      await v2('POST', '/items', { name: `${at}`, codename: `i${at}`, type: { codename: 'article' } });
    await v2('PUT', '/items/codename/i0/variants/codename/default', {
      elements: [{ element: { codename: 'body' }, value: '<p>x</p>' }],
    });
    const exported = await admin('POST', `/projects/${project}/export`);
    entries = await readEntries(Buffer.from(await exported.arrayBuffer()));
  });
  after(() => server.stop());

  /** The archive with another text of its only version. */
  const archive = (elements: (item: string) => unknown) => {
    const items = entries.find(({ name }) => name.startsWith('items/'))!;
    const item = (JSON.parse(items.content.toString().split('\n')[1]!) as { id: string }).id;
    return writeEntries(
      entries.map((entry) => {
        if (!entry.name.startsWith('variants/')) return entry;
        const row = JSON.parse(entry.content.toString()) as { versions: Version[] };
        const given = elements(item);
        row.versions[0]!.elements = typeof given === 'string' ? given : JSON.stringify(given);
        return { ...entry, content: Buffer.from(`${JSON.stringify(row)}\n`) };
      }),
    );
  };
  const richText = (html: string) => ({ [body]: { html, components: [] } });
  const bytes = (content: string) =>
    writeEntries(
      entries.map((entry) =>
        entry.name.startsWith('variants/') ? { ...entry, content: Buffer.from(content) } : entry,
      ),
    );

  const cases: readonly (readonly [
    what: string,
    status: number,
    archive: () => Promise<Buffer>,
    form?: 'long',
  ])[] = [
    [
      'a text of 22,500 links',
      201,
      () =>
        archive((item) =>
          richText(
            `<p>${many(7500, () => `<a data-item-id="${item}" href="">x</a>`)}${many(15_000, () => '<a href="/">x</a>')}</p>`,
          ),
        ),
    ],
    ['660,000 characters of plain text', 201, () => archive(() => richText(`<p>${'x'.repeat(660_000)}</p>`))],
    ['660,000 characters in paragraphs', 201, () => archive(() => richText('<p>x</p>'.repeat(82_500)))],
    [
      '50,000 linked items',
      400,
      () => archive(() => ({ [links]: Array.from({ length: 50_000 }, (_, at) => id(at)) })),
    ],
    ['a string of 30 MB', 400, () => archive(() => `"${'x'.repeat(30 * MB)}"`), 'long'],
    [`a string of ${SLOW} MB of another script`, 400, () => archive(() => `"${'ж'.repeat(SLOW * MB)}"`)],
    ['a string of 30 MB of escapes', 400, () => bytes(`"${'\\u0041'.repeat(5 * MB)}"\n`), 'long'],
    ['a text of 30 MB', 400, () => archive(() => richText('x'.repeat(30 * MB))), 'long'],
    ['a number of 30 MB', 400, () => bytes(`${'1'.repeat(30 * MB)}\n`), 'long'],
    ['30 MB of blanks', 400, () => bytes(`[${' '.repeat(30 * MB)}]\n`), 'long'],
    ['30 MB of values', 400, () => bytes(`[${'1,'.repeat(15 * MB)}1]\n`)],
  ];
  for (const [what, status, make, form] of cases) {
    (form === 'long' ? longTest : it)(`is at most ${LONGEST_ALLOWED_MS} ms for ${what}`, async () => {
      const content = new Uint8Array(await make());
      const { milliseconds } = await leastOf(LONGEST_ALLOWED_MS, async () => {
        await server.runs();
        const answer = await fetch(`${server.url}/admin/projects/import?id=${randomUUID()}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-tar' },
          body: content,
        });
        const text = await answer.text();
        expect(answer.status, text.slice(0, 1000)).to.equal(status);
        const { longest } = await server.runs();
        // A row is one text, and may be one value.
        return { milliseconds: withoutSlowMemory(longest, LONGEST_ALLOWED_MS, 2 * content.length) };
      });
      expect(milliseconds).to.be.at.most(LONGEST_ALLOWED_MS);
    });
  }
});
