import { arrayOf, closed, mapOf, type Schema, schema, text } from '../delivery/openapi-shapes.ts';
import {
  type DocumentedCall,
  type DocumentedPart,
  id,
  idReference,
  pageOf,
  reference,
  time,
} from './openapi-call.ts';

const ITEMS = 'Content items';
const VARIANTS = 'Language variants';
const LIFE_CYCLE = 'Publishing';
const PROJECT = 'Project';

const both = ['v1', 'v2'] as const;
const v1 = ['v1'] as const;
const v2 = ['v2'] as const;

const itemBody: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 50 },
    type: reference,
    sitemap_locations: arrayOf(reference, 'Nodes of the sitemap.'),
    external_id: text('Of the own system; set once, when the item is made.'),
    codename: text('Made from the name when absent (v2).'),
  },
  required: ['name'],
};

const move = (path: string, name: string, summary: string, more: Partial<DocumentedCall> = {}) =>
  ({
    versions: v2,
    method: 'put',
    path: `items/<item>/variants/<language>/${path}`,
    id: name,
    tag: LIFE_CYCLE,
    summary,
    answers: { 204: null },
    ...more,
  }) satisfies DocumentedCall;

function itemCalls(versions: readonly ['v1'] | readonly ['v2'], item: Schema): DocumentedCall[] {
  const page = pageOf('items', item, 'At most 100 items.');
  const of = { versions, tag: ITEMS } as const;
  return [
    {
      ...of,
      method: 'get',
      path: 'items',
      id: 'listItems',
      summary: 'List content items',
      answers: { 200: page },
      paged: true,
    },
    {
      ...of,
      method: 'post',
      path: 'items',
      id: 'createItem',
      summary: 'Make a content item',
      body: itemBody,
      answers: { 201: item },
    },
    {
      ...of,
      method: 'get',
      path: 'items/<item>',
      id: 'getItem',
      summary: 'Read a content item',
      answers: { 200: item },
    },
    {
      ...of,
      method: 'put',
      path: 'items/<item>',
      id: 'putItem',
      summary: 'Change a content item',
      description: 'By external id the item is made if there is none; `type` is needed only then.',
      body: itemBody,
      answers: { 200: item, 201: item },
      madeByExternalId: true,
    },
    {
      ...of,
      method: 'delete',
      path: 'items/<item>',
      id: 'deleteItem',
      summary: 'Delete a content item with all its variants',
      answers: { 204: null },
    },
  ];
}

function variantCalls(
  versions: readonly ['v1'] | readonly ['v2'],
  variant: Schema,
  elements: Schema,
): DocumentedCall[] {
  const of = { versions, tag: VARIANTS, path: 'items/<item>/variants/<language>' } as const;
  const body: Schema = { type: 'object', properties: { elements }, required: ['elements'] };
  return [
    {
      ...of,
      method: 'get',
      path: 'items/<item>/variants',
      id: 'listVariants',
      summary: 'All variants of an item',
      answers: { 200: arrayOf(variant, 'In the order of the languages.') },
    },
    { ...of, method: 'get', id: 'getVariant', summary: 'Read a variant', answers: { 200: variant } },
    {
      ...of,
      method: 'put',
      id: 'putVariant',
      summary: 'Write a variant',
      description:
        'Elements that are not sent stay as they are. A published variant needs a new version before it is changed. Limits of the type and required elements are for publishing and `validate` to check, not for drafts.',
      body,
      answers: { 200: variant, 201: variant },
    },
    {
      ...of,
      method: 'delete',
      id: 'deleteVariant',
      summary: 'Delete a variant',
      description: 'The item goes with its last variant.',
      answers: { 204: null },
    },
  ];
}

const variantV2 = schema('ManagedVariant');
const variantPage = pageOf('variants', variantV2, 'At most 50 variants.');
const report = (name: string): Schema => schema(name);

const calls: readonly DocumentedCall[] = [
  ...itemCalls(v1, schema('ManagedItemV1')),
  ...itemCalls(v2, schema('ManagedItem')),
  ...variantCalls(v1, schema('ManagedVariantV1'), mapOf({}, 'Values by codename of the element.')),
  ...variantCalls(v2, variantV2, arrayOf({ type: 'object' }, 'Entries of `{element, value}`.')),
  {
    versions: v2,
    method: 'get',
    path: 'types/<type>/variants',
    id: 'listVariantsOfType',
    tag: VARIANTS,
    summary: 'Variants of all items of a type',
    answers: { 200: variantPage },
    paged: true,
  },
  {
    versions: v2,
    method: 'get',
    path: 'types/<type>/components',
    id: 'listVariantsWithComponents',
    tag: VARIANTS,
    summary: 'Variants that hold a component of a type',
    answers: { 200: variantPage },
    paged: true,
  },
  move('publish', 'publish', 'Publish a variant, now or at a time', {
    description:
      'Refused with `validation_errors` where the draft lacks a required value or breaks a limit of its type; their `path` is inside the variant, by codenames. A schedule that comes due with such a draft ends as a failed job.',
    body: { type: 'object', properties: { scheduled_to: text('ISO 8601 time; now when absent.') } },
    bodyOptional: true,
  }),
  move('cancel-scheduled-publish', 'cancelScheduledPublish', 'Take a schedule back'),
  move('unpublish', 'unpublish', 'Unpublish a variant'),
  move('unpublish-and-archive', 'unpublishAndArchive', 'Unpublish a variant and archive it'),
  move('new-version', 'newVersion', 'Open a published variant for changes'),
  move('workflow/<step>', 'moveToStep', 'Move a variant to a workflow step'),
  {
    versions: v2,
    method: 'get',
    path: '',
    id: 'getProject',
    tag: PROJECT,
    summary: 'The project itself',
    answers: { 200: closed({ id, name: { type: 'string' } }, 'The project.') },
  },
  ...both.map(
    (version): DocumentedCall => ({
      versions: [version],
      method: 'post',
      path: 'validate',
      id: 'validate',
      tag: PROJECT,
      summary: 'What is wrong with the content',
      description:
        'Elements that lack a required value or break a limit of the type, which publishing refuses, and references to what is not there.',
      answers: { 200: report(version === 'v2' ? 'ManagedReport' : 'ManagedReportV1') },
    }),
  ),
];

const itemProperties = {
  id,
  name: { type: 'string', minLength: 1, maxLength: 50 },
  codename: { type: 'string', minLength: 1 },
  type: idReference,
  sitemap_locations: { type: 'array', items: idReference },
  external_id: { type: 'string' },
  last_modified: time,
};
const of = { item: idReference, language: idReference, last_modified: time };
const named = closed({ id, name: { type: 'string' }, codename: { type: 'string' } }, 'What it is about.');
const issuesOf = (subjects: Schema) =>
  arrayOf(
    closed(
      {
        ...subjects,
        issues: arrayOf(
          closed(
            { element: named, messages: { type: 'array', items: { type: 'string' }, minItems: 1 } },
            'One element.',
          ),
          'By element.',
        ),
      },
      'What is wrong with one.',
    ),
    'Only those with something wrong.',
  );
const reportV1 = {
  project: closed({ id, name: { type: 'string' } }, 'The project.'),
  variant_issues: issuesOf({ item: named, language: named }),
};

/** Items, variants, the way to the public, validation. */
export const itemsOpenapi: DocumentedPart = {
  tags: [
    { name: ITEMS, description: 'Names and places of content; the content itself is in variants.' },
    { name: VARIANTS, description: 'The content of an item in a language.' },
    { name: LIFE_CYCLE, description: 'From draft to public and back.' },
    { name: PROJECT, description: 'The project as a whole.' },
  ],
  calls,
  schemas: {
    ManagedItemV1: closed(itemProperties, 'A content item.', ['external_id']),
    ManagedItem: closed({ ...itemProperties, collection: idReference }, 'A content item.', ['external_id']),
    ManagedVariantV1: closed(
      { elements: mapOf({}, 'Values by codename, all elements of the type.'), ...of },
      'A language variant.',
    ),
    ManagedVariant: closed(
      {
        elements: { type: 'array', items: schema('ManagedElementValue') },
        workflow_step: idReference,
        ...of,
      },
      'A language variant, its latest version.',
    ),
    ManagedElementValue: closed(
      {
        element: idReference,
        value: {
          anyOf: [{ type: ['string', 'number', 'null'] }, { type: 'array', items: idReference }],
          description: 'By the kind of the element.',
        },
        mode: { enum: ['autogenerated', 'custom'], description: 'Of URL slugs.' },
        components: {
          type: 'array',
          description: 'Of rich text.',
          items: closed(
            { id, type: idReference, elements: { type: 'array', items: schema('ManagedElementValue') } },
            'A single-use item that stands in the text.',
          ),
        },
      },
      'The value of an element.',
      ['mode', 'components'],
    ),
    ManagedReportV1: closed(reportV1, 'What is wrong with the content.'),
    ManagedReport: closed(
      { ...reportV1, type_issues: issuesOf({ type: named }) },
      'What is wrong with the content and the types.',
    ),
  },
};
