/** A project of one type for the model-based test, and everything its surfaces return for it. */
import { createProject } from '../../../core/access/projects.ts';
import { createLanguage } from '../../../core/content/languages.ts';
import { replaceSitemap } from '../../../core/content/sitemap.ts';
import { createType } from '../../../core/content/types.ts';
import { managementKey } from '../projects/manage-service.ts';
import type { RunningService } from '../service/start-service.ts';
import {
  LANGUAGES,
  type Language,
  latest,
  living,
  type ManagedModel,
  readable,
  TAGS,
} from './managed-model.ts';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export class ManagedProject {
  readonly #url: string;
  readonly #id: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #previewHeaders: Readonly<Record<string, string>>;
  /** Codenames of options by id. */
  readonly #tags: ReadonlyMap<string, string>;
  readonly #locations: ReadonlyMap<string, string>;
  readonly #steps: ReadonlyMap<string, string>;
  readonly #elements: ReadonlyMap<string, string>;

  private constructor(fields: {
    url: string;
    id: string;
    key: string;
    previewKey: string;
    tags: ReadonlyMap<string, string>;
    locations: ReadonlyMap<string, string>;
    elements: ReadonlyMap<string, string>;
    steps: ReadonlyMap<string, string>;
  }) {
    this.#url = fields.url;
    this.#id = fields.id;
    this.#headers = { authorization: `Bearer ${fields.key}`, 'content-type': 'application/json' };
    this.#previewHeaders = { authorization: `Bearer ${fields.previewKey}` };
    this.#tags = fields.tags;
    this.#locations = fields.locations;
    this.#elements = fields.elements;
    this.#steps = fields.steps;
  }

  get id(): string {
    return this.#id;
  }

  static async create({ core, url }: RunningService): Promise<ManagedProject> {
    const { operations } = core;
    const { id, keys } = await operations.installation(null, (at) =>
      createProject(at, { name: 'Managed', default_language: { name: 'English', codename: 'en' } }),
    );
    const made = await operations.inProject(id, null, async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await replaceSitemap(transaction, [{ name: 'North' }, { name: 'South' }]);
      const type = await createType(transaction, {
        name: 'Piece',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'number', name: 'Amount' },
          {
            type: 'multiple_choice',
            name: 'Tags',
            mode: 'multiple',
            options: TAGS.map((name) => ({ name })),
          },
          { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'title' } } },
          { type: 'modular_content', name: 'Links' },
        ],
      });
      return { type, sitemap: transaction.model.sitemap };
    });
    const { key } = await managementKey(core, id);
    const choice = made.type.fields.find(({ codename }) => codename === 'tags')?.element;
    const options = choice?.type === 'multiple_choice' ? choice.options : [];
    const steps = (await (
      await fetch(`${url}/manage/v2/projects/${id}/workflow`, { headers: { authorization: `Bearer ${key}` } })
    ).json()) as { id: string; name: string }[];
    return new ManagedProject({
      url,
      id,
      key,
      previewKey: keys['preview-primary'],
      tags: new Map(options.map((option) => [option.id, option.codename])),
      locations: new Map(made.sitemap.map((node) => [node.id, node.codename])),
      elements: new Map(made.type.fields.map((field) => [field.element.id, field.codename])),
      steps: new Map(steps.map((step) => [step.id, step.name])),
    });
  }

  async call(version: 'v1' | 'v2', method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#url}/manage/${version}/projects/${this.#id}${path}`, {
      method,
      headers: this.#headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  }

  /** What the surfaces return now, in the form of `expected`. */
  async state(model: ManagedModel): Promise<unknown> {
    const [items, variants, v1, ...read] = await Promise.all([
      this.call('v2', 'GET', '/items'),
      this.call('v2', 'GET', '/types/codename/piece/variants'),
      Promise.all(living(model).map(({ id }) => this.call('v1', 'GET', `/items/${id}/variants`))),
      ...CHANNELS.flatMap((channel) => LANGUAGES.map((language) => this.#read(channel, language))),
    ]);
    return {
      items: (items.body['items'] as ItemJson[]).map((item) => this.#item(item)).sort(byKey),
      v2: (variants.body['variants'] as VariantV2[]).map((variant) => this.#v2(variant)).sort(byKey),
      v1: v1
        .flatMap(({ body }) => (body as unknown as VariantV1[]).map((variant) => this.#v1(variant)))
        .sort(byKey),
      read,
    };
  }

  async #read(channel: (typeof CHANNELS)[number], language: Language): Promise<unknown> {
    const response = await fetch(`${this.#url}/${channel}/${this.#id}/items?depth=0&language=${language}`, {
      headers: channel === 'preview' ? this.#previewHeaders : {},
    });
    const { items } = (await response.json()) as { items: DeliveredItem[] };
    return items.map(({ system, elements }) => ({
      id: system.id,
      name: system.name,
      codename: system.codename,
      language: system.language,
      locations: system.sitemap_locations,
      title: elements['title']?.value,
      amount: elements['amount']?.value,
      tags: (elements['tags']!.value as { codename: string }[]).map(({ codename }) => codename),
      slug: elements['slug']?.value,
      links: elements['links']?.value,
    }));
  }

  #item(item: ItemJson): Keyed {
    return {
      key: item.id,
      name: item.name,
      codename: item.codename,
      externalId: item.external_id ?? null,
      locations: item.sitemap_locations.map(({ id }) => this.#locations.get(id)),
    };
  }

  #v2({ item, language, workflow_step, elements }: VariantV2): Keyed {
    const values = Object.fromEntries(
      elements.map(({ element, ...value }) => [this.#elements.get(element.id), value]),
    );
    return {
      key: `${item.id}/${language.id === DEFAULT ? 'en' : 'de'}`,
      step: this.#steps.get(workflow_step.id),
      title: values['title']?.value,
      amount: values['amount']?.value,
      tags: (values['tags']!.value as { id: string }[]).map(({ id }) => this.#tags.get(id)),
      slug: values['slug'],
      links: (values['links']!.value as { id: string }[]).map(({ id }) => id),
    };
  }

  #v1({ item, language, elements }: VariantV1): Keyed {
    return {
      key: `${item.id}/${language.id === DEFAULT ? 'en' : 'de'}`,
      ...elements,
      tags: (elements['tags'] as { id: string }[]).map(({ id }) => this.#tags.get(id)),
      links: (elements['links'] as { id: string }[]).map(({ id }) => id),
    };
  }
}

const CHANNELS = ['delivery', 'preview'] as const;
const DEFAULT = '00000000-0000-0000-0000-000000000000';

/** What the surfaces should return. */
export function expectedState(model: ManagedModel): unknown {
  const items = living(model);
  const variants = items.flatMap((item) =>
    [...item.variants].map(([language, variant]) => ({
      key: `${item.id}/${language}`,
      draft: variant.draft !== null,
      values: latest(variant),
    })),
  );
  return {
    items: items
      .map(({ id, name, codename, externalId, locations }) => ({
        key: id,
        name,
        codename,
        externalId,
        locations: [...locations],
      }))
      .sort(byKey),
    v2: variants
      .map(({ key, draft, values }) => ({ key, step: draft ? 'Draft' : 'Published', ...values }))
      .sort(byKey),
    v1: variants
      .map(({ key, values: { slug, title, ...values } }) => ({
        key,
        ...values,
        title: title ?? '',
        slug: slug.value,
      }))
      .sort(byKey),
    read: (['published', 'latest'] as const).flatMap((channel) =>
      LANGUAGES.map((language) =>
        items
          .flatMap((item) => {
            const found = readable(item, language, channel);
            if (!found) return [];
            const { title, slug, links, ...values } = found.values;
            return [
              {
                id: item.id,
                name: item.name,
                codename: item.codename,
                language: found.language,
                locations: [...item.locations],
                ...values,
                title: title ?? '',
                slug: slug.value,
                links: links.flatMap((id) => model.items.get(id)?.codename ?? []),
              },
            ];
          })
          .sort((one, other) => (one.codename < other.codename ? -1 : 1)),
      ),
    ),
  };
}

interface Keyed {
  readonly key: string;
  readonly [name: string]: unknown;
}

function byKey(one: { readonly key: string }, other: { readonly key: string }): number {
  return one.key < other.key ? -1 : 1;
}

interface ItemJson {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
  readonly sitemap_locations: readonly { readonly id: string }[];
}
interface VariantV2 {
  readonly item: { readonly id: string };
  readonly language: { readonly id: string };
  readonly workflow_step: { readonly id: string };
  readonly elements: readonly { readonly element: { readonly id: string }; readonly value: unknown }[];
}
interface VariantV1 {
  readonly item: { readonly id: string };
  readonly language: { readonly id: string };
  readonly elements: Readonly<Record<string, unknown>>;
}
interface DeliveredItem {
  readonly system: {
    readonly id: string;
    readonly name: string;
    readonly codename: string;
    readonly language: string;
    readonly sitemap_locations: readonly string[];
  };
  readonly elements: Readonly<Record<string, { readonly value: unknown }>>;
}
