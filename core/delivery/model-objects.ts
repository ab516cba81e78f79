import { LANGUAGES, TAXONOMIES, TYPES, taxonomyTag, typeTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import { bytesTag } from '../http/entity-tag.ts';
import type { CoreAnswer } from '../http/request.ts';
import type { ContentType, Field, Language, ProjectModel, TaxonomyGroup, Term } from '../model/model.ts';
import { jsonBytes } from '../turns/json-bytes.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { answer, type CacheInfo } from './answer.ts';
import { modelTags } from './answer-tags.ts';
import type { DeliveryContext, DeliveryRequest } from './delivery-context.ts';
import { pagination } from './pagination.ts';
import { parseQuery } from './parse-query.ts';

/** Types, elements, taxonomies and languages as delivery shows them (spec 2.3, 2.4); all from the model. */

export function listTypes(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  return list(context, request, 'types', TYPES, (model, elements) => ({
    all: model.types,
    show: (type: ContentType) => typeObject(model, type, elements),
  }));
}

export function listTaxonomies(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  return list(context, request, 'taxonomies', TAXONOMIES, (model) => ({
    all: model.taxonomies,
    show: taxonomyObject,
  }));
}

export function listLanguages(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  return list(context, request, 'languages', LANGUAGES, (model) => ({
    all: model.languages.filter((language) => language.isActive),
    show: languageObject,
  }));
}

/** @throws typeNotFound (101) */
export function getType(
  context: DeliveryContext,
  request: DeliveryRequest,
  codename: string,
): Promise<CoreAnswer> {
  return one(context, request, typeTag(codename), (model) =>
    typeObject(model, findType(model, codename), projectionOf(request)),
  );
}

/** @throws typeNotFound (101), elementNotFound (102) */
export function getElement(
  context: DeliveryContext,
  request: DeliveryRequest,
  type: string,
  element: string,
): Promise<CoreAnswer> {
  return one(context, request, typeTag(type), (model) => {
    const field = findType(model, type).fieldByCodename.get(element);
    if (!field)
      throw new ServiceError(
        'elementNotFound',
        `The requested content type element '${element}' was not found in the content type '${type}'.`,
      );
    return { ...elementObject(model, field), codename: field.codename };
  });
}

/** @throws taxonomyNotFound (104) */
export function getTaxonomy(
  context: DeliveryContext,
  request: DeliveryRequest,
  codename: string,
): Promise<CoreAnswer> {
  return one(context, request, taxonomyTag(codename), (model) => {
    const group = model.taxonomyByCodename.get(codename);
    if (!group)
      throw new ServiceError('taxonomyNotFound', `The requested taxonomy group '${codename}' was not found.`);
    return taxonomyObject(group);
  });
}

async function list<Part>(
  context: DeliveryContext,
  request: DeliveryRequest,
  collection: string,
  tag: string,
  entries: (
    model: ProjectModel,
    elements: ReadonlySet<string> | null,
  ) => { readonly all: readonly Part[]; readonly show: (part: Part) => object },
): Promise<CoreAnswer> {
  const query = parseQuery(request.query);
  return one(context, request, tag, async (model) => {
    const { all, show } = entries(model, query.elements && new Set(query.elements));
    const shown: object[] = [];
    for (const part of all.slice(query.skip, query.limit === null ? undefined : query.skip + query.limit)) {
      if (isTurnLong()) await nextTurn();
      shown.push(show(part));
    }
    const page = {
      count: shown.length,
      more: query.skip + shown.length < all.length && shown.length > 0,
      total: query.includeTotalCount ? all.length : null,
    };
    return { [collection]: shown, pagination: pagination(query, request.address, page) };
  });
}

async function one(
  { models }: DeliveryContext,
  request: DeliveryRequest,
  tag: string,
  make: (model: ProjectModel) => object | Promise<object>,
): Promise<CoreAnswer> {
  const model = await models.current(request.project);
  const info = { sequence: request.sequence, tags: modelTags(request.project, tag) };
  const body = await jsonBytes(await orMissing(() => make(model), info));
  return answer(request.ifNoneMatch, { etag: bytesTag(body) }, info, () => body);
}

/** An object is missing until it is created, so the answer that says so may be cached as well. */
async function orMissing(make: () => object | Promise<object>, info: CacheInfo): Promise<object> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    throw new ServiceError(error.errorName, error.message, info);
  }
}

function projectionOf(request: DeliveryRequest): ReadonlySet<string> | null {
  const { elements } = parseQuery(request.query);
  return elements && new Set(elements);
}

function findType(model: ProjectModel, codename: string): ContentType {
  const type = model.typeByCodename.get(codename);
  if (!type)
    throw new ServiceError('typeNotFound', `The requested content type '${codename}' was not found.`);
  return type;
}

function typeObject(model: ProjectModel, type: ContentType, elements: ReadonlySet<string> | null): object {
  const shown = type.fields.filter((field) => elements === null || elements.has(field.codename));
  return {
    system: { id: type.id, name: type.name, codename: type.codename, last_modified: type.lastModified },
    elements: Object.fromEntries(shown.map((field) => [field.codename, elementObject(model, field)])),
  };
}

function elementObject(model: ProjectModel, { element }: Field): object {
  const { type, name } = element;
  if (element.type === 'taxonomy')
    return { type, name, taxonomy_group: model.taxonomyById.get(element.taxonomy_group.id)?.codename ?? '' };
  if (element.type === 'multiple_choice')
    return {
      type,
      name,
      options: element.options.map((option) => ({ name: option.name, codename: option.codename })),
    };
  return { type, name };
}

function taxonomyObject(group: TaxonomyGroup): object {
  return {
    system: { id: group.id, name: group.name, codename: group.codename, last_modified: group.lastModified },
    terms: group.terms.map(termObject),
  };
}

function termObject(term: Term): object {
  return { name: term.name, codename: term.codename, terms: term.terms.map(termObject) };
}

function languageObject(language: Language): object {
  return { system: { id: language.id, name: language.name, codename: language.codename } };
}
