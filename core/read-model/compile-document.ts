import { randomUUID } from 'node:crypto';
import type {
  Channel,
  ContentType,
  Field,
  Language,
  ProjectModel,
  Term,
  ValueElement,
} from '../model/model.ts';
import { componentCodename } from '../model/rich-text/component-codename.ts';
import { richTextReferences } from '../model/rich-text/references.ts';
import { toDelivery } from '../model/rich-text/to-delivery.ts';
import type {
  StoredComponent,
  StoredElements,
  StoredRichText,
  StoredUrlSlug,
  StoredValue,
} from '../model/values.ts';
import { DELIVERED_EMPTY_RICH_TEXT } from '../storage/index-key.ts';
import type { DocumentLayout, LayoutComponent, LayoutElement } from '../storage/page-plan.ts';
import { USE } from '../storage/stale.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { AssetFacts, Facts } from './facts.ts';

/**
 * Stands for the asset base while JSON is written, and becomes ASSET_BASE_MARK in it. Random, so that content cannot
 * contain it.
 */
const BASE = `asset-base-${randomUUID()}`;

export interface DocumentSource {
  readonly model: ProjectModel;
  readonly item: {
    readonly id: string;
    readonly name: string;
    readonly codename: string;
    readonly type: ContentType;
    /** Node ids. */
    readonly sitemapLocations: readonly string[];
  };
  readonly language: Language;
  readonly channel: Channel;
  readonly lastModified: string;
  readonly elements: StoredElements;
  readonly mediaType: string;
}

export interface CompiledDocument {
  readonly body: string;
  readonly components: string;
  readonly layout: DocumentLayout;
  /** Pairs of USE and target number. */
  readonly uses: readonly (readonly [use: number, target: number])[];
  /** Rich text of the item itself as readers get it, by element id; asset bases marked. */
  readonly richTexts: ReadonlyMap<string, string>;
  /** Another channel may show other bytes. */
  readonly dependsOnChannel: boolean;
}

/** A version as delivery shows it (spec 2.1, 2.2): the finished JSON of the item and of its components. */
export async function compileDocument(source: DocumentSource, facts: Facts): Promise<CompiledDocument> {
  const compiler = new Compiler(source, facts);
  const { item, model } = source;
  const system = JSON.stringify({
    id: item.id,
    name: item.name,
    codename: item.codename,
    language: source.language.codename,
    type: item.type.codename,
    sitemap_locations: item.sitemapLocations.flatMap((id) => model.sitemapNodeById.get(id)?.codename ?? []),
    last_modified: source.lastModified,
  });
  const { text, layout } = await compiler.object(system, item.type, source.elements);
  return {
    body: text,
    components: compiler.components,
    layout: { elements: layout, components: compiler.componentLayout },
    uses: compiler.uses(),
    richTexts: compiler.richTexts,
    dependsOnChannel: compiler.dependsOnChannel,
  };
}

interface Compiled {
  /** JSON members after `type` and `name`, with the leading comma. */
  readonly rest: string;
  readonly linked: readonly number[];
  readonly components: readonly string[];
}

class Compiler {
  components = '';
  readonly componentLayout: LayoutComponent[] = [];
  /** Numbers of targets by USE. */
  readonly #uses = new Map<number, Set<number>>();
  readonly richTexts = new Map<string, string>();
  dependsOnChannel = false;
  /** Depth of the component that is being compiled. */
  #nesting = 0;
  readonly #source: DocumentSource;
  readonly #facts: Facts;

  constructor(source: DocumentSource, facts: Facts) {
    this.#source = source;
    this.#facts = facts;
  }

  uses(): CompiledDocument['uses'] {
    return [...this.#uses].flatMap(([use, targets]) => [...targets].map((target) => [use, target] as const));
  }

  #use(use: number, target: number): void {
    const targets = this.#uses.get(use);
    if (targets) targets.add(target);
    else this.#uses.set(use, new Set([target]));
  }

  /** `{"system":…,"elements":{…}}` and the positions of its elements. */
  async object(
    system: string,
    type: ContentType,
    values: StoredElements,
  ): Promise<{ text: string; layout: LayoutElement[] }> {
    let text = `{"system":${system},"elements":{`;
    const layout: LayoutElement[] = [];
    for (const field of type.fields) {
      const value = values[field.element.id];
      const { rest, linked, components } =
        field.element.type === 'rich_text'
          ? await this.#richText(field.element.id, value as StoredRichText | undefined)
          : await this.#element(field.element, value);
      if (layout.length > 0) text += ',';
      const start = text.length;
      text += `${namedHead(field)}${rest}}`;
      layout.push([field.codename, start, text.length, linked, components]);
    }
    return { text: `${text}}}`, layout };
  }

  async #element(
    element: Exclude<ValueElement, { type: 'rich_text' }>,
    value: StoredValue | undefined,
  ): Promise<Compiled> {
    switch (element.type) {
      case 'text':
        return plain(value ?? '');
      case 'number':
      case 'date_time':
        return plain(value ?? null);
      case 'custom':
        return plain(value || null);
      case 'url_slug':
        return plain((value as StoredUrlSlug | undefined)?.value ?? '');
      case 'multiple_choice': {
        const chosen = new Set(ids(value));
        return plain(
          element.options
            .filter((option) => chosen.has(option.id))
            .map(({ name, codename }) => ({ name, codename })),
        );
      }
      case 'taxonomy': {
        const group = this.#source.model.taxonomyById.get(element.taxonomy_group.id);
        const terms = ids(value)
          .map((id) => group?.termById.get(id))
          .filter((term): term is Term => term !== undefined)
          .map(({ name, codename }) => ({ name, codename }));
        return json(
          `,"taxonomy_group":${JSON.stringify(group?.codename ?? '')},"value":${JSON.stringify(terms)}`,
        );
      }
      case 'asset': {
        let assets = '';
        await eachInTurns(ids(value), (id) => {
          const asset = this.#assetValue(id);
          if (asset) assets += `${assets && ','}${withBase(JSON.stringify(asset))}`;
        });
        return { rest: `,"value":[${assets}]`, linked: [], components: [] };
      }
      case 'modular_content': {
        const items: { readonly number: number; readonly codename: string }[] = [];
        await eachInTurns(ids(value), (id) => {
          const item = this.#linkedItem(id);
          if (item) items.push(item);
        });
        return {
          rest: `,"value":${JSON.stringify(items.map((item) => item.codename))}`,
          linked: items.map((item) => item.number),
          components: [],
        };
      }
    }
  }

  /** Notes the use of an expected item too, so that the document becomes stale when the item is created. */
  #linkedItem(id: string): { readonly number: number; readonly codename: string } | undefined {
    const item = this.#facts.item(id);
    if (!item) return undefined;
    const { number, codename } = item;
    this.#use(USE.linkedItem, number);
    return codename === null ? undefined : { number, codename };
  }

  #asset(id: string): AssetFacts | undefined {
    const number = this.#facts.assetNumber(id);
    if (number !== undefined) this.#use(USE.asset, number);
    return this.#facts.asset(id);
  }

  #description(asset: AssetFacts): string | null {
    return asset.descriptions[this.#source.language.id] ?? null;
  }

  #assetValue(id: string): object | undefined {
    const asset = this.#asset(id);
    return (
      asset && {
        name: asset.name,
        type: asset.type,
        size: asset.size,
        description: this.#description(asset),
        url: BASE + asset.path,
      }
    );
  }

  async #richText(element: string, value: StoredRichText | undefined): Promise<Compiled> {
    if (isTurnLong()) await nextTurn();
    const html = value?.html ?? '';
    const references = await richTextReferences(html);
    const images: Record<string, object> = {};
    for (const id of references.images) {
      const asset = this.#asset(id);
      if (asset)
        images[id] = { image_id: id, description: this.#description(asset) ?? '', url: BASE + asset.path };
    }
    const links: Record<string, object> = {};
    for (const id of references.links) {
      const { language, channel } = this.#source;
      this.dependsOnChannel = true;
      const known = this.#facts.item(id);
      if (known) this.#use(USE.hyperlink, known.number);
      const target = this.#facts.target(id, language, channel);
      if (target) links[id] = { codename: target.codename, type: target.type, url_slug: target.slug };
    }
    const items = references.linkedItems
      .filter((reference) => reference.kind === 'item')
      .flatMap((reference) => this.#linkedItem(reference.id) ?? []);
    const embedded = new Set(
      references.linkedItems
        .filter((reference) => reference.kind === 'component')
        .map((reference) => reference.id),
    );
    const components = (value?.components ?? []).filter((component) => embedded.has(component.id));
    for (const component of components) await this.#component(component);
    const compiled = new Set(components.map((component) => component.id));
    const inOrder = references.linkedItems
      .filter((reference) => compiled.has(reference.id))
      .map((reference) => componentCodename(reference.id));
    const text = await toDelivery(html, {
      mediaType: this.#source.mediaType,
      itemCodename: (id) => this.#facts.item(id)?.codename ?? undefined,
      componentCodename,
      asset: (id) => {
        const asset = this.#asset(id);
        return asset && { url: BASE + asset.path, description: this.#description(asset) };
      },
    });
    const shown = text === '' ? DELIVERED_EMPTY_RICH_TEXT : text;
    // A component may have the type of the item, and so the same elements.
    if (this.#nesting === 0) this.richTexts.set(element, withBase(shown));
    const codenames = [...items.map((item) => item.codename), ...inOrder];
    return {
      rest: withBase(
        `,"images":${JSON.stringify(images)},"links":${JSON.stringify(links)},"modular_content":${JSON.stringify(codenames)},"value":${JSON.stringify(shown)}`,
      ),
      linked: items.map((item) => item.number),
      components: components.map((component) => component.id),
    };
  }

  /** Components inside components are part of the same flat list; the layout keeps the nesting. */
  async #component(component: StoredComponent): Promise<void> {
    const type = this.#source.model.typeById.get(component.type);
    if (!type) return;
    this.#use(USE.componentType, type.number);
    const codename = componentCodename(component.id);
    const system = JSON.stringify({
      id: component.id,
      name: component.id,
      codename,
      language: this.#source.language.codename,
      type: type.codename,
      sitemap_locations: [],
      last_modified: this.#source.lastModified,
    });
    // Inner components are appended while this one is compiled, so it is appended after them.
    this.#nesting++;
    const { text, layout } = await this.object(system, type, component.elements);
    this.#nesting--;
    if (this.components !== '') this.components += ',';
    const start = this.components.length;
    const head = `"${codename}":`;
    this.components += head + text;
    const shift = start + head.length;
    this.componentLayout.push([
      component.id,
      start,
      this.components.length,
      layout.map(
        ([name, from, to, linked, inner]) => [name, from + shift, to + shift, linked, inner] as const,
      ),
    ]);
  }
}

/** What stands before the name of an element. */
export function fieldHead(codename: string, type: ValueElement['type']): string {
  return `${JSON.stringify(codename)}:{"type":"${type}","name":`;
}

function plain(value: unknown): Compiled {
  return json(`,"value":${JSON.stringify(value)}`);
}

function json(rest: string): Compiled {
  return { rest: withBase(rest), linked: [], components: [] };
}

function withBase(text: string): string {
  return text.includes(BASE) ? text.replaceAll(BASE, '\u0001') : text;
}

function ids(value: StoredValue | undefined): readonly string[] {
  return Array.isArray(value) ? value : [];
}

const heads = new WeakMap<Field, string>();

/** With the name. Made once for a field of a model. */
export function namedHead(field: Field): string {
  let head = heads.get(field);
  if (head === undefined) {
    head = fieldHead(field.codename, field.element.type) + JSON.stringify(field.element.name);
    heads.set(field, head);
  }
  return head;
}
