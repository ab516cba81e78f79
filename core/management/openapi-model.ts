/** OpenAPI description of the content model in version 2: types, snippets, taxonomies, languages, workflow. */
import { arrayOf, closed, type Schema, schema, text } from '../http/openapi-shapes.ts';
import { type DocumentedCall, type DocumentedPart, idReference, pageOf, reference } from './openapi-call.ts';
import { element, elementInput } from './openapi-elements.ts';
import { flag, id, oneOf, open, time } from './openapi-forms.ts';

const v2 = ['v2'] as const;
const MODEL = 'Content model';
const LANGUAGES = 'Languages and workflow';

interface ModelPart {
  readonly one: string;
  readonly many: string;
  readonly label: string;
  readonly tag: string;
  readonly schema: string;
}

/** The five calls that types, snippets and taxonomies have alike. */
function crud({ one, many, label, tag, schema: name }: ModelPart): DocumentedCall[] {
  const subject = name.replace('Managed', '');
  const path = `${many}/<${one}>`;
  return [
    {
      versions: v2,
      method: 'get',
      path: many,
      id: `list${many.charAt(0).toUpperCase()}${many.slice(1)}`,
      summary: `List ${label}s`,
      tag,
      paged: true,
      answers: { 200: schema(`${name}Page`) },
    },
    {
      versions: v2,
      method: 'post',
      path: many,
      id: `add${subject}`,
      summary: `Add a ${label}`,
      tag,
      body: schema(`${name}Input`),
      answers: { 201: schema(name) },
    },
    {
      versions: v2,
      method: 'get',
      path,
      id: `get${subject}`,
      summary: `Read a ${label}`,
      tag,
      answers: { 200: schema(name) },
    },
    {
      versions: v2,
      method: 'patch',
      path,
      id: `modify${subject}`,
      summary: `Change a ${label}`,
      description: 'All operations are carried out, or none.',
      tag,
      body: schema(one === 'taxonomy' ? 'ManagedTaxonomyOperations' : 'ManagedDefinitionOperations'),
      answers: { 200: schema(name) },
    },
    {
      versions: v2,
      method: 'delete',
      path,
      id: `delete${subject}`,
      summary: `Delete a ${label}`,
      description: 'Refused while it is in use.',
      tag,
      answers: { 204: null },
    },
  ];
}

const modelCalls: readonly DocumentedCall[] = [
  ...crud({
    one: 'type',
    many: 'types',
    label: 'content type',
    tag: MODEL,
    schema: 'ManagedType',
  }),
  ...crud({
    one: 'snippet',
    many: 'snippets',
    label: 'content type snippet',
    tag: MODEL,
    schema: 'ManagedSnippet',
  }),
  ...crud({
    one: 'taxonomy',
    many: 'taxonomies',
    label: 'taxonomy group',
    tag: MODEL,
    schema: 'ManagedTaxonomy',
  }),
  {
    versions: v2,
    method: 'get',
    path: 'languages',
    id: 'listLanguages',
    summary: 'List languages',
    tag: LANGUAGES,
    paged: true,
    answers: { 200: schema('ManagedLanguagePage') },
  },
  {
    versions: v2,
    method: 'post',
    path: 'languages',
    id: 'addLanguage',
    summary: 'Add a language',
    tag: LANGUAGES,
    body: schema('ManagedLanguageInput'),
    answers: { 201: schema('ManagedLanguage') },
  },
  {
    versions: v2,
    method: 'get',
    path: 'languages/<language>',
    id: 'getLanguage',
    summary: 'Read a language',
    tag: LANGUAGES,
    answers: { 200: schema('ManagedLanguage') },
  },
  {
    versions: v2,
    method: 'patch',
    path: 'languages/<language>',
    id: 'modifyLanguage',
    summary: 'Change a language',
    description: 'All operations are carried out, or none.',
    tag: LANGUAGES,
    body: schema('ManagedLanguageOperations'),
    answers: { 200: schema('ManagedLanguage') },
  },
  {
    versions: v2,
    method: 'post',
    path: 'languages/<language>',
    id: 'postLanguageOperations',
    summary: 'Change a language, as old clients do',
    description: 'The same as PATCH.',
    tag: LANGUAGES,
    body: schema('ManagedLanguageOperations'),
    answers: { 200: schema('ManagedLanguage') },
  },
  {
    versions: v2,
    method: 'get',
    path: 'workflow',
    id: 'listWorkflowSteps',
    summary: 'List workflow steps',
    tag: LANGUAGES,
    answers: { 200: arrayOf(schema('ManagedWorkflowStep'), 'All steps.') },
  },
];

function modelSchemas(): Readonly<Record<string, Schema>> {
  const common = {
    id: id('Id.'),
    codename: text('Codename.'),
    last_modified: time('Last change.'),
    external_id: text('External id; absent when it has none.'),
    name: text('Name.'),
  };
  const commonInput = {
    name: text('Name, at most 50 characters.'),
    codename: text('Made from the name when absent.'),
    external_id: text('Unique among its kind; cannot be given later.'),
  };
  const elements = arrayOf(schema('ManagedElementInput'), 'Elements in order.');
  const term = (input: boolean): Schema =>
    input
      ? open(
          { ...commonInput, terms: arrayOf(schema('ManagedTermInput'), 'Terms below it.') },
          'A term to be made.',
          ['name'],
        )
      : closed(
          {
            name: text('Name.'),
            external_id: text('External id.'),
            terms: arrayOf(schema('ManagedTerm'), 'Terms below it.'),
            id: id('Id.'),
            codename: text('Codename.'),
          },
          'A term.',
          ['external_id'],
        );
  return {
    ManagedElement: element(),
    ManagedElementInput: elementInput(),
    ManagedContentGroup: closed(
      { id: id('Id.'), name: text('Name.'), codename: text('Codename.'), external_id: text('External id.') },
      'A group of elements.',
      ['external_id'],
    ),
    ManagedType: closed(
      {
        ...common,
        content_groups: arrayOf(schema('ManagedContentGroup'), 'Groups; empty when there are none.'),
        elements: arrayOf(schema('ManagedElement'), 'Elements in order.'),
      },
      'A content type.',
      ['external_id'],
    ),
    ManagedTypePage: pageOf('types', schema('ManagedType'), 'One page.'),
    ManagedTypeInput: open(
      {
        ...commonInput,
        content_groups: arrayOf(open(commonInput, 'A group.', ['name']), 'Groups.'),
        elements,
      },
      'A content type to be made.',
      ['name', 'elements'],
    ),
    ManagedSnippet: closed(
      { ...common, elements: arrayOf(schema('ManagedElement'), 'Elements in order.') },
      'A content type snippet.',
      ['external_id'],
    ),
    ManagedSnippetPage: pageOf('snippets', schema('ManagedSnippet'), 'One page.'),
    ManagedSnippetInput: open({ ...commonInput, elements }, 'A snippet to be made.', ['name', 'elements']),
    ManagedDefinitionOperations: arrayOf(
      open(
        {
          op: oneOf(['addInto', 'remove', 'replace'], 'What is done.'),
          path: text(
            'Where: `/name`, `/elements`, `/elements/codename:x/guidelines`, `/elements/id:…/options/codename:y` …',
          ),
          value: { description: 'What is added, or stands there from now on.' },
          before: reference,
          after: reference,
        },
        'One operation.',
        ['op', 'path'],
      ),
      'Operations in order.',
    ),
    ManagedTerm: term(false),
    ManagedTermInput: term(true),
    ManagedTaxonomy: closed(
      { ...common, terms: arrayOf(schema('ManagedTerm'), 'Terms at the top.') },
      'A taxonomy group.',
      ['external_id'],
    ),
    ManagedTaxonomyPage: pageOf('taxonomies', schema('ManagedTaxonomy'), 'One page.'),
    ManagedTaxonomyInput: open(
      { ...commonInput, terms: arrayOf(schema('ManagedTermInput'), 'Terms at the top; may be empty.') },
      'A taxonomy group to be made.',
      ['name', 'terms'],
    ),
    ManagedTaxonomyOperations: arrayOf(
      open(
        {
          op: oneOf(['addInto', 'remove', 'replace'], 'What is done.'),
          reference,
          property_name: oneOf(['name', 'codename', 'terms'], 'What is replaced.'),
          value: { description: 'A term, a text, or terms.' },
          before: reference,
          after: reference,
        },
        'One operation; on the group itself when it has no reference.',
        ['op'],
      ),
      'Operations in order.',
    ),
    ManagedLanguage: closed(
      {
        id: id('Id; the default language has the id of all zeros.'),
        name: text('Name.'),
        codename: text('Codename.'),
        external_id: text('External id; absent when it has none.'),
        is_active: flag('Content in it can be read and written.'),
        is_default: flag('The default language.'),
        fallback_language: idReference,
      },
      'A language. One without a fallback names itself as such.',
      ['external_id'],
    ),
    ManagedLanguagePage: pageOf('languages', schema('ManagedLanguage'), 'One page.'),
    ManagedLanguageInput: open(
      {
        name: text('Name, at most 25 characters.'),
        codename: text('Codename, at most 25 characters.'),
        external_id: text('External id.'),
        is_active: flag('True when absent.'),
        fallback_language: reference,
      },
      'A language to be made; it falls back to the default language unless told otherwise.',
      ['name', 'codename'],
    ),
    ManagedLanguageOperations: arrayOf(
      open(
        {
          op: oneOf(['replace'], 'What is done.'),
          property_name: oneOf(['name', 'codename', 'is_active', 'fallback_language'], 'What is replaced.'),
          value: { description: 'What it is from now on.' },
        },
        'One operation.',
        ['op', 'property_name', 'value'],
      ),
      'Operations in order.',
    ),
    ManagedWorkflowStep: closed(
      {
        id: id('Id.'),
        name: text('Name.'),
        transitions_to: arrayOf(id('Id of a step.'), 'Where variants can be moved to from here.'),
      },
      'A workflow step.',
    ),
  };
}

export const modelOpenapi: DocumentedPart = {
  tags: [
    { name: MODEL, description: 'Content types, snippets and taxonomy groups.' },
    { name: LANGUAGES, description: 'Languages of the project, steps of its workflow.' },
  ],
  calls: modelCalls,
  schemas: modelSchemas(),
};
