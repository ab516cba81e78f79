/** A project whose every name, text, address and description is hostile. */
import { createProject } from '../../../core/access/projects.ts';
import { createAsset } from '../../../core/assets/assets.ts';
import { addFile, receiveFile } from '../../../core/assets/files.ts';
import { replaceFolders } from '../../../core/assets/folders.ts';
import { createItem } from '../../../core/content/items.ts';
import { createLanguage } from '../../../core/content/languages.ts';
import { replacePreviewUrls } from '../../../core/content/preview-urls.ts';
import { replaceSitemap } from '../../../core/content/sitemap.ts';
import { createSnippet } from '../../../core/content/snippets.ts';
import { createTaxonomy } from '../../../core/content/taxonomies.ts';
import { createType } from '../../../core/content/types.ts';
import { upsertVariant } from '../../../core/content/variants.ts';
import type { ElementDefinitionInput, ElementInput } from '../../../core/model/inputs.ts';
import { tilesImage } from '../images/test-images.ts';
import type { RunningService } from '../service/start-service.ts';
import { COMPONENT_ID } from './harbour-project.ts';
import { HOSTILE_STRINGS } from './hostile-strings.ts';

/** Texts of things of which a screen shows all at once, and which are shown in many places. */
const SOME = HOSTILE_STRINGS.slice(0, 40);
const ALL = HOSTILE_STRINGS.join('\n');

export interface HostileProject {
  readonly id: string;
  readonly item: string;
  readonly asset: string;
  readonly type: string;
  readonly snippet: string;
  readonly taxonomy: string;
  readonly language: string;
}

/** Markup that shows a text as it is. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export async function createHostileProject(service: RunningService): Promise<HostileProject> {
  const { operations } = service.core;
  const { id } = await operations.installation(null, (to) =>
    createProject(to, { name: SOME[0]!, default_language: { name: '<i>default</i>', codename: 'd' } }),
  );
  const image = await receiveFile(operations.blobs, await tilesImage(40, 30).png().toBuffer());
  const other = await receiveFile(operations.blobs, Buffer.from(ALL));
  const made = await operations.inProject(id, null, async (transaction) => {
    const named = SOME.map((text, index) => ({ name: text.slice(0, 50), codename: `n_${index}` }));
    const { id: language } = await createLanguage(transaction, { name: '"><b>second', codename: 'l' });
    const { id: taxonomy } = await createTaxonomy(transaction, {
      name: SOME[1]!.slice(0, 50),
      codename: 'topics',
      terms: HOSTILE_STRINGS.map((name, index) => ({ name, codename: `t_${index}` })),
    });
    await replaceSitemap(transaction, named);
    const { folders } = await replaceFolders(
      transaction,
      SOME.map((name) => ({ name })),
    );
    const { id: snippet } = await createSnippet(transaction, {
      name: SOME[2]!.slice(0, 50),
      codename: 'snippet',
      elements: named.map((one) => ({
        ...one,
        codename: `s_${one.codename}`,
        type: 'text',
        guidelines: ALL,
      })),
    });
    const { id: type } = await createType(transaction, {
      name: SOME[3]!.slice(0, 50),
      codename: 'everything',
      content_groups: named.slice(0, 2),
      elements: elementsOf(named),
    });
    const assets: string[] = [];
    for (const [index, text] of HOSTILE_STRINGS.entries()) {
      const isImage = index < 2;
      const file = await addFile(transaction, {
        name: text.replace(/[\p{Cc}/\\]/gu, '_').slice(0, 100),
        type: isImage ? 'image/png' : 'text/html',
        content: isImage ? image : other,
      });
      const { id: asset } = await createAsset(transaction, {
        file: file.id,
        title: text.slice(0, 50),
        folder: folders[index] ? { id: folders[index].id } : null,
        descriptions: ['d', 'l'].map((codename) => ({ language: { codename }, description: text })),
      });
      assets.push(asset);
    }
    const items: string[] = [];
    for (const [index, text] of HOSTILE_STRINGS.entries()) {
      const { id: item } = await createItem(transaction, {
        name: text.slice(0, 50),
        codename: `i_${index}`,
        type: { codename: 'everything' },
        sitemap_locations: [{ codename: named[index % named.length]!.codename }],
      });
      items.push(item);
    }
    await replacePreviewUrls(transaction, [
      { type: null, language: null, url: 'http://evil.example/?<script>alert(1)</script>{Codename}' },
    ]);
    return { language, taxonomy, snippet, type, asset: assets[1]!, item: items[1]!, assets, items };
  });
  const { assets, items, ...ids } = made;
  // Two versions in each of two languages, so that there is something to compare.
  for (const codename of ['d', 'l'])
    for (const word of ['first', 'second'])
      await operations.inProject(id, null, (transaction) =>
        upsertVariant(
          transaction,
          { id: ids.item },
          { codename },
          { elements: valuesOf(items, assets, word) },
        ),
      );
  return { id, ...ids };
}

/** An element of each kind. */
function elementsOf(
  named: readonly { readonly name: string; readonly codename: string }[],
): ElementDefinitionInput[] {
  const group = { content_group: { codename: named[0]!.codename } };
  const element = (type: string, index: number, more: Partial<ElementDefinitionInput> = {}) => ({
    ...{ type, ...group, name: named[index]!.name, codename: type, guidelines: ALL.slice(0, 9_000) },
    ...more,
  });
  return [
    { type: 'guidelines', ...group, guidelines: HOSTILE_STRINGS.map(paragraph).join('').slice(0, 9_999) },
    element('text', 1),
    element('rich_text', 2),
    element('number', 3),
    element('date_time', 4),
    element('multiple_choice', 5, {
      mode: 'multiple',
      options: HOSTILE_STRINGS.slice(0, 250).map((name, index) => ({ name, codename: `o_${index}` })),
    }),
    element('asset', 6),
    element('modular_content', 7),
    { ...element('taxonomy', 8), taxonomy_group: { codename: 'topics' } },
    element('url_slug', 9, { depends_on: { element: { codename: 'text' } } }),
    element('custom', 10, { source_url: 'javascript:alert(1)', json_parameters: ALL }),
    element('custom', 11, { codename: 'second', source_url: 'https://x.example/"><script>alert(1)' }),
    {
      type: 'snippet',
      codename: 'snippet',
      snippet: { codename: 'snippet' },
      content_group: { codename: named[1]!.codename },
    },
  ];
}

const paragraph = (text: string) => `<p>${escapeMarkup(text)}</p>`;

/** @param word makes versions differ */
function valuesOf(items: readonly string[], assets: readonly string[], word: string): ElementInput[] {
  const value = (codename: string, given: unknown) => ({ element: { codename }, value: given });
  const link = (text: string) =>
    `<a href="${escapeMarkup(text)}" title="${escapeMarkup(text)}">${escapeMarkup(text)}</a>`;
  const body = [
    ...HOSTILE_STRINGS.map(paragraph),
    ...HOSTILE_STRINGS.map((text) => `<p>${link(text)}</p>`),
    `<figure data-asset-id="${assets[0]}"><img data-asset-id="${assets[0]}" src="#" alt="${escapeMarkup(SOME[1]!)}"></figure>`,
    `<p><a data-item-id="${items[0]}">${escapeMarkup(SOME[1]!)}</a> ${word}</p>`,
    `<object type="application/kenticocloud" data-type="item" data-id="${items[0]}"></object>`,
    `<object type="application/kenticocloud" data-type="component" data-id="${COMPONENT_ID}"></object>`,
  ];
  const plain = [
    value('text', `${ALL}\n${word}`),
    value('number', 1),
    value('date_time', '2026-01-01T00:00:00Z'),
    value(
      'multiple_choice',
      SOME.map((_, index) => ({ codename: `o_${index}` })),
    ),
    value(
      'asset',
      assets.slice(0, SOME.length).map((id) => ({ id })),
    ),
    value(
      'modular_content',
      items.slice(0, SOME.length).map((id) => ({ id })),
    ),
    value(
      'taxonomy',
      SOME.map((_, index) => ({ codename: `t_${index}` })),
    ),
    value('custom', ALL),
    ...SOME.map((text, index) => value(`s_n_${index}`, `${text} ${word}`)),
  ];
  const inner = { ...value('rich_text', HOSTILE_STRINGS.map(paragraph).join('')), components: [] };
  const component = { id: COMPONENT_ID, type: { codename: 'everything' }, elements: [...plain, inner] };
  return [...plain, { ...value('rich_text', body.join('')), components: [component] }];
}
