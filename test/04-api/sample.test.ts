/** What the sample project promises, asked of a core that loaded it. */

import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { archiveProject, createProject, type NewProject } from '../../core/access/projects.ts';
import { type LoadedSample, loadSample } from '../../core/sample/load-sample.ts';
import { readSample, type Sample } from '../../core/sample/sample-files.ts';
import { DatabaseLost } from '../../core/storage/postgres/database-error.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { longTest } from '../support/long-form.ts';
import { readFromCore } from '../support/random/read-content.ts';
import { openCore } from '../support/service/open-core.ts';
import { until } from '../support/until.ts';

interface Element {
  readonly type: string;
  readonly value: unknown;
  readonly modular_content?: readonly string[];
  readonly links?: Record<string, { readonly codename: string }>;
  readonly images?: Record<string, { readonly url: string; readonly description: string | null }>;
}
interface Item {
  readonly system: { readonly codename: string; readonly language: string; readonly type: string };
  readonly elements: Record<string, Element>;
}
interface Listing {
  readonly items: readonly Item[];
  readonly modular_content: Record<string, Item>;
}
interface Single {
  readonly item: Item;
  readonly modular_content: Record<string, Item>;
}

const BASES = { self: 'https://deliver.example/delivery', assets: 'https://assets.example/files' };

describe('the sample project', () => {
  let folder: string;
  let core: Awaited<ReturnType<typeof openCore>>;
  let sample: Sample;
  let loaded: LoadedSample;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-sample-'));
    core = await openCore({
      dataDir: folder,
    });
    sample = await readSample();
    loaded = await loadSample(core.operations);
  });
  after(async () => {
    await core.close();
    await rm(folder, { recursive: true });
  });

  it('has a fixed id and shows the preview keys once', async () => {
    expect(loaded.projectId).to.equal('8d1a7c5e-3f42-4b69-9c0d-6e5b1f2a7d34');
    expect(loaded.keys?.['preview-primary']).to.be.a('string').with.length.above(30);
    expect(await loadSample(core.operations)).to.deep.equal({ projectId: loaded.projectId, keys: undefined });
    expect((await listing('published', '')).items).to.have.length.above(40);
  });

  it('is loaded once: a later start does not change it', async () => {
    const sequence = () => core.operations.storage.sql.get('SELECT sequence FROM installation');
    const before = await sequence();
    await loadSample(core.operations);
    expect(await sequence()).to.deep.equal(before);
  });

  it('of an earlier version, which kept no note of it, is not loaded again', async () => {
    const { storage } = core.operations;
    await storage.write((tx) => tx.run('UPDATE installation SET sample = NULL'));
    const state = () => storage.sql.get('SELECT sequence, sample FROM installation');
    const before = (await state()) as object;
    expect(await loadSample(core.operations)).to.deep.equal({ projectId: loaded.projectId, keys: undefined });
    expect(await state()).to.deep.equal({ ...before, sample: loaded.projectId });
  });

  it('is loaded once by cores that start at the same time', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'headwater-sample-'));
    const other = await openCore({
      dataDir: elsewhere,
    });
    const starts = await Promise.all([1, 2, 3].map(() => loadSample(other.operations)));
    expect(starts.map(({ projectId }) => projectId)).to.deep.equal(Array(3).fill(loaded.projectId));
    expect(starts.filter(({ keys }) => keys !== undefined)).to.have.length(1);
    const count = await other.operations.storage.sql.get('SELECT count(*) AS count FROM item');
    expect(count).to.deep.equal({ count: sample.items.length });
    await other.close();
    await rm(elsewhere, { recursive: true });
  });

  longTest(
    'is loaded by a core that starts while another one writes for longer than a write waits',
    async () => {
      const database = await postgresDatabase();
      const other = await database.open(folder);
      const dataDir = await mkdtemp(join(tmpdir(), 'headwater-sample-'));
      const started = await openCore({ dataDir, databaseUrl: database.url });
      let writes = false;
      const written = other.write(async () => {
        writes = true;
        // A write waits for five seconds.
        await pause(6000);
      });
      await until(() => writes);
      expect((await loadSample(started.operations)).keys).to.have.property('preview-primary');
      await written;
      await started.close();
      await other.close();
      await database.remove();
      await rm(dataDir, { recursive: true });
    },
  );

  it('is not waited for where a start fails for another reason than a busy database', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-sample-'));
    const started = await openCore({ dataDir });
    let tries = 0;
    const failed = await loadSample(started.operations, async () => {
      tries += 1;
      throw new DatabaseLost(undefined);
    }).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(DatabaseLost);
    expect(tries).to.equal(1);
    await started.close();
    await rm(dataDir, { recursive: true });
  });

  it('is completed after an interrupted start, and is not loaded again once archived', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'headwater-sample-'));
    const other = await openCore({
      dataDir: elsewhere,
    });
    const { installation, inProject } = other.operations;
    await installation(null, (to) => createProject(to, sample.model.project));
    await loadSample(other.operations);
    const types = await inProject(loaded.projectId, null, async ({ model }) => model.types.length);
    expect(types).to.equal(sample.model.types.length);
    await installation(null, (to) => archiveProject(to, loaded.projectId));
    expect(await loadSample(other.operations)).to.deep.equal({
      projectId: loaded.projectId,
      keys: undefined,
    });
    expect(await other.access.project(loaded.projectId)).to.equal(undefined);
    await other.close();
    await rm(elsewhere, { recursive: true });
  });

  longTest('has its keys stored before they are valid: a start that ends there loses none', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'headwater-sample-'));
    const other = await openCore({ dataDir: elsewhere });
    const stored: NewProject[] = [];
    const fullDisk = loadSample(other.operations, async () => {
      throw Object.assign(new Error('inside'), { code: 'ENOSPC' });
    });
    expect((await fullDisk.catch((error: Error) => error)) as Error).to.be.instanceOf(Error);
    expect(await other.access.project(loaded.projectId)).to.equal(undefined);
    const { keys } = await loadSample(other.operations, async (made) => {
      stored.push(made);
      expect(await other.access.project(made.id)).to.equal(undefined);
    });
    expect(stored.map((made) => made.keys)).to.deep.equal([keys]);
    await loadSample(other.operations, async (made) => void stored.push(made));
    expect(stored).to.have.lengthOf(1);
    await other.close();
    await rm(elsewhere, { recursive: true });
  });

  it('publishes forty items or more, and leaves some unpublished', async () => {
    const published = codenames(await listing('published', ''));
    const latest = codenames(await listing('preview', ''));
    expect(published).to.have.length.of.at.least(40);
    expect(latest).to.include.members(published);
    const drafts = latest.filter((codename) => !published.includes(codename));
    expect(drafts).to.have.members([
      'laerchboden_hut',
      'larch_ridge_preview',
      'larch_ridge_traverse',
      'river_cleanup',
    ]);
  });

  it('has newer drafts of published items', async () => {
    const changed = sample.items.filter((item) => item.changed);
    expect(changed).to.have.length.of.at.least(3);
    for (const { codename, changed: newer } of changed) {
      const [language, elements] = Object.entries(newer ?? {})[0] ?? [];
      const was = await single('published', codename, `language=${language}`);
      const is = await single('preview', codename, `language=${language}`);
      for (const element of Object.keys(elements ?? {})) {
        expect(is.item.elements[element]?.value, `${codename}.${element}`).to.not.deep.equal(
          was.item.elements[element]?.value,
        );
      }
    }
  });

  it('uses every kind of element', async () => {
    const kinds = new Set<string>();
    for (const owner of [...sample.model.types, ...sample.model.snippets]) {
      for (const element of owner.elements) kinds.add(modeOf(element));
    }
    expect([...kinds]).to.have.members([
      'text',
      'rich_text',
      'number',
      'multiple_choice single',
      'multiple_choice multiple',
      'date_time',
      'asset',
      'modular_content',
      'taxonomy',
      'url_slug',
      'custom',
      'guidelines',
      'snippet',
    ]);
    const filled = new Set(
      (await listing('published', '')).items.flatMap(({ elements }) =>
        Object.values(elements)
          .filter(({ value }) => (Array.isArray(value) ? value.length > 0 : value !== null && value !== ''))
          .map(({ type }) => type),
      ),
    );
    expect(filled.size, [...filled].join()).to.equal(10);
  });

  it('shares a snippet among types and nests taxonomies three levels deep', async () => {
    const { elements } = (await single('published', 'source_trail')).item;
    expect(elements['metadata__title']?.value).to.be.a('string').and.not.equal('');
    expect(elements['getting_there__minutes_on_foot']?.value).to.equal(2);
    const { taxonomies } = await ask<{ taxonomies: { terms: Term[] }[] }>('published', '/taxonomies', '');
    expect(taxonomies).to.have.length.of.at.least(2);
    for (const { terms } of taxonomies) expect(depth(terms)).to.equal(3);
  });

  it('falls back from Austrian German to German to English', async () => {
    const { items } = await listing('published', 'language=de-AT');
    const languages = new Map(items.map(({ system }) => [system.codename, system.language]));
    expect(languages.get('gorge_trail')).to.equal('de-AT');
    expect(languages.get('source_trail')).to.equal('de');
    expect(languages.get('oxbow_pushchair_path')).to.equal('en');
    expect(languages.get('volksmusikabend')).to.equal('de');
    expect(codenames(await listing('published', ''))).to.not.include('volksmusikabend');
  });

  it('links items in circles', async () => {
    const { item, modular_content } = await single('published', 'where_the_orrach_begins', 'depth=2');
    expect(Object.keys(modular_content)).to.include.members(['a_day_with_the_ranger', item.system.codename]);
  });

  it('has rich text with an image, a link, a linked item and components two deep', async () => {
    const { item, modular_content } = await single('published', 'where_the_orrach_begins', 'depth=0');
    const body = item.elements['body'];
    const [linked, component] = body?.modular_content ?? [];
    expect(linked).to.equal('source_trail');
    expect(Object.values(body?.images ?? {})[0]?.url).to.match(/^https:.*\/orrach-spring\.jpg$/);
    expect(Object.values(body?.links ?? {}).map(({ codename }) => codename)).to.include('orrach_spring');
    const outer = modular_content[component ?? ''];
    expect(outer?.system.type).to.equal('callout');
    const inner = outer?.elements['text']?.modular_content?.[0] ?? '';
    expect(modular_content[inner]?.system.type).to.equal('quote');
  });

  it('links from a published item to unpublished ones', async () => {
    const { item, modular_content } = await single('published', 'hut_to_hut_without_a_car');
    expect(item.elements['read_next']?.value).to.include('larch_ridge_preview');
    expect(modular_content).to.not.have.property('larch_ridge_preview');
    const links = Object.values(item.elements['body']?.links ?? {}).map(({ codename }) => codename);
    expect(links).to.include('kaltwasser_hut').and.not.include('laerchboden_hut');
    expect((await single('preview', 'hut_to_hut_without_a_car')).modular_content).to.have.property(
      'larch_ridge_preview',
    );
  });

  it('contains images with a description in each language', async () => {
    const images = sample.assets.filter(({ file }) => file.startsWith('images/'));
    expect(images).to.have.length.of.at.least(8);
    let bytes = 0;
    for (const { file } of sample.assets) bytes += (await stat(join(sample.folder, file))).size;
    expect(bytes).to.be.below(2_000_000);
    const first = await readFile(join(sample.folder, 'images/orrach-spring.jpg'));
    expect([...first.subarray(0, 3)]).to.deep.equal([0xff, 0xd8, 0xff]);
    for (const [language, word] of [
      ['en', 'stream'],
      ['de', 'Bergwiese'],
      ['de-AT', 'Almwiese'],
    ]) {
      const { item } = await single('published', 'orrach_spring', `language=${language}`);
      expect(JSON.stringify(item.elements['images']?.value)).to.include(word);
    }
  });

  async function ask<Body>(channel: 'published' | 'preview', path: string, query: string): Promise<Body> {
    const answer = await readFromCore(
      core,
      { channel: channel === 'preview' ? 'latest' : 'published', path: `/${loaded.projectId}${path}`, query },
      BASES,
    );
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Body;
  }
  function listing(channel: 'published' | 'preview', query: string): Promise<Listing> {
    return ask(channel, '/items', query);
  }
  function single(channel: 'published' | 'preview', codename: string, query = ''): Promise<Single> {
    return ask(channel, `/items/${codename}`, query);
  }
});

interface Term {
  readonly terms: readonly Term[];
}

function depth(terms: readonly Term[]): number {
  return terms.length === 0 ? 0 : 1 + Math.max(...terms.map((term) => depth(term.terms)));
}

function codenames({ items }: Listing): string[] {
  return items.map(({ system }) => system.codename);
}

function modeOf(element: { readonly type: string; readonly mode?: string }): string {
  return element.type === 'multiple_choice' ? `multiple_choice ${element.mode}` : element.type;
}
