import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { programFolder } from '../../config/program-folder.ts';
import type {
  LanguageInput,
  ProjectInput,
  SitemapNodeInput,
  SnippetInput,
  TaxonomyInput,
  TypeInput,
} from '../model/inputs.ts';

/** `content-model.yaml` */
export interface SampleModel {
  readonly project: ProjectInput & { readonly id: string };
  readonly languages: readonly LanguageInput[];
  readonly snippets: readonly SnippetInput[];
  readonly types: readonly TypeInput[];
}

/** An entry of `assets.yaml`; `file` is a path beside it. */
export interface SampleAsset {
  readonly file: string;
  readonly external_id: string;
  readonly title?: string;
  readonly descriptions?: Readonly<Record<string, string>>;
}

/** Element codename → value in the short form of `to-element-inputs.ts`. */
export type SampleElements = Readonly<Record<string, SampleValue>>;

export type SampleValue = string | number | readonly string[] | SampleRichText;

export interface SampleRichText {
  readonly html: string;
  readonly components: readonly {
    readonly id: string;
    readonly type: string;
    readonly elements: SampleElements;
  }[];
}

/** An entry of `items/*.yaml`. The codename is the external id too. */
export interface SampleItem {
  readonly codename: string;
  readonly name: string;
  readonly type: string;
  readonly sitemap: readonly string[];
  /** Values of every language: numbers, choices, links. */
  readonly shared: SampleElements;
  /** Language codename → further values. A missing language is not translated. */
  readonly languages: Readonly<Record<string, SampleElements>>;
  /** Languages that stay unpublished. */
  readonly drafts?: readonly string[];
  /** Language codename → different values of an unpublished newer version. */
  readonly changed?: Readonly<Record<string, SampleElements>>;
}

export interface Sample {
  readonly folder: string;
  readonly model: SampleModel;
  readonly taxonomies: readonly TaxonomyInput[];
  readonly sitemap: readonly SitemapNodeInput[];
  readonly assets: readonly SampleAsset[];
  readonly items: readonly SampleItem[];
}

/** The part that every start reads: 30 ms of the 90 for the whole sample. */
export function readSampleModel(): Promise<SampleModel> {
  return readYaml('content-model.yaml');
}

/** Reads the YAML files of the sample; they stay in the source folder when the code runs from the build. */
export async function readSample(): Promise<Sample> {
  const folder = sampleFolder();
  const itemFiles = (await readdir(join(folder, 'items'))).filter((name) => name.endsWith('.yaml')).sort();
  const [model, taxonomies, sitemap, assets, ...items] = await Promise.all([
    readSampleModel(),
    readYaml<TaxonomyInput[]>('taxonomies.yaml'),
    readYaml<SitemapNodeInput[]>('sitemap.yaml'),
    readYaml<SampleAsset[]>('assets.yaml'),
    ...itemFiles.map((name) => readYaml<SampleItem[]>(join('items', name))),
  ]);
  return { folder, model, taxonomies, sitemap, assets, items: items.flat() };
}

async function readYaml<T>(name: string): Promise<T> {
  return parse(await readFile(join(sampleFolder(), name), 'utf8')) as T;
}

function sampleFolder(): string {
  return fileURLToPath(new URL('core/sample', programFolder()));
}
