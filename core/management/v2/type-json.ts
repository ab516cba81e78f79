import type { ElementChange } from '../../content/element-definitions.ts';
import type { JsonObject } from '../../json-body/parse-body.ts';
import { toCodename } from '../../model/codename.ts';
import type { MemberInput, PartInput } from '../../model/inputs.ts';
import type { ContentGroup, ContentType, Snippet } from '../../model/model.ts';
import type { Fields } from '../fields.ts';
import { readElement, toElementJson } from './element-json.ts';
import { readMember } from './read-member.ts';

/** A type or snippet in a request body; snippets have no groups. */
export interface DefinitionInput extends PartInput {
  readonly content_groups: readonly MemberInput[];
  readonly elements: readonly ElementChange[];
}

export async function readDefinition(fields: Fields): Promise<DefinitionInput> {
  fields.require('elements');
  return {
    name: fields.text('name') ?? '',
    codename: fields.identifier('codename'),
    external_id: fields.identifier('external_id'),
    content_groups: (await fields.each('content_groups', readMember)) ?? [],
    elements: (await fields.each('elements', readElement)) ?? [],
  };
}

/** New objects get new ids, even if the client copied the body from existing ones. */
export function withoutIds(input: DefinitionInput): DefinitionInput {
  return {
    ...input,
    content_groups: input.content_groups.map((group) => ({ ...group, id: undefined })),
    elements: input.elements.map((element) => ({
      ...element,
      id: undefined,
      options: element.options?.map((option) => ({ ...option, id: undefined })),
    })),
  };
}

/**
 * Clients write the codename of a snippet's element with and without the prefix, `<snippet>__<element>`; the model
 * stores it without.
 * @param before present elements, which keep their codenames: that of `SEO: title` in the snippet `SEO` begins like the prefix
 */
export function withoutPrefixes(input: DefinitionInput, before: Snippet['elements'] = []): DefinitionInput {
  const snippet = input.codename ?? toCodename(input.name);
  const present = new Map(before.map(({ id, codename }) => [id, codename]));
  const elements = input.elements.map((element) => {
    const { id = '', codename } = element;
    const isKept = codename === undefined || codename === present.get(id);
    return isKept ? element : { ...element, codename: withoutPrefix(codename, snippet) };
  });
  return { ...input, elements };
}

export function withoutPrefix(codename: string, snippet: string): string {
  const prefix = `${snippet}__`;
  return codename.startsWith(prefix) && codename !== prefix ? codename.slice(prefix.length) : codename;
}

export function toTypeJson(type: ContentType) {
  return {
    id: type.id,
    codename: type.codename,
    last_modified: type.lastModified,
    ...(type.externalId !== null && { external_id: type.externalId }),
    name: type.name,
    content_groups: type.contentGroups.map(toGroupJson),
    elements: type.elements.map(toElementJson),
  };
}

export function toSnippetJson(snippet: Snippet) {
  return {
    id: snippet.id,
    codename: snippet.codename,
    last_modified: snippet.lastModified,
    ...(snippet.externalId !== null && { external_id: snippet.externalId }),
    name: snippet.name,
    elements: snippet.elements.map(toElementJson),
  };
}

function toGroupJson({ id, name, codename, external_id }: ContentGroup): JsonObject {
  return { id, name, codename, ...(external_id !== undefined && { external_id }) };
}
