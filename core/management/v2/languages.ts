import {
  changedLanguage,
  createLanguage,
  findLanguage,
  type LanguageChange,
  saveLanguage,
} from '../../content/languages.ts';
import { arrayOf, closed, flag, id, oneOf, open, schema, text } from '../../http/openapi-shapes.ts';
import { WHOLE } from '../../http/route.ts';
import type { Reference } from '../../model/inputs.ts';
import { Issues } from '../../model/issues.ts';
import type { Language } from '../../model/model.ts';
import { findReferred } from '../../model/reference.ts';
import { type Call, referenceAt } from '../call.ts';
import { Fields, withIssues } from '../fields.ts';
import { idReference, pageOf as pageSchema, reference } from '../management-schemas.ts';
import { pageOf } from '../paging.ts';
import { type Answer, answersCreated, answersPage, type Route, routesOf } from '../route.ts';
import {
  applyAll,
  asOperations,
  type PatchOperation,
  readOperations,
  refuseOperation,
  unknownOperation,
} from './patch.ts';

const route = routesOf('Languages and workflow', { read: 'view-content', write: 'manage-languages' });
const answers = { 200: { schema: schema('ManagedLanguage') } };
const modify = { body: schema('ManagedLanguageOperations'), answers };

export const languageRoutes: readonly Route[] = [
  route('GET languages', {
    id: 'listLanguages',
    summary: 'List languages',
    ...answersPage(schema('ManagedLanguagePage')),
    handler: listLanguages,
  }),
  route('POST languages', {
    id: 'addLanguage',
    summary: 'Add a language',
    body: schema('ManagedLanguageInput'),
    answers: answersCreated(schema('ManagedLanguage')),
    handler: addLanguage,
  }),
  route('GET languages/<language>', {
    id: 'getLanguage',
    tagged: WHOLE,
    summary: 'Read a language',
    answers,
    handler: getLanguage,
  }),
  route('PATCH languages/<language>', {
    id: 'modifyLanguage',
    summary: 'Change a language',
    description: 'All operations are carried out, or none.',
    ...modify,
    handler: modifyLanguage,
  }),
  // The first published client of this version sends operations with POST.
  route('POST languages/<language>', {
    id: 'postLanguageOperations',
    summary: 'Change a language, as old clients do',
    description: 'The same as PATCH.',
    ...modify,
    handler: modifyLanguage,
  }),
];

function listLanguages(call: Call): Promise<Answer> {
  return call.read(async ({ model }) => pageOf(call, 'languages', model.languages, toLanguageJson));
}

async function addLanguage(call: Call): Promise<Answer> {
  const body = (await call.body()).object();
  return call.write(async (transaction) => {
    const issues = new Issues();
    const fields = new Fields(issues, body);
    const input = {
      name: fields.text('name') ?? '',
      codename: fields.text('codename') ?? '',
      external_id: fields.text('external_id'),
      is_active: fields.flag('is_active'),
      fallback_language: fields.reference('fallback_language'),
    };
    const language = await withIssues(issues, () => createLanguage(transaction, input));
    return {
      status: 201,
      location: `${call.base}/languages/${language.id}`,
      body: toLanguageJson(language),
    };
  });
}

function getLanguage(call: Call): Promise<Answer> {
  const reference = referenceAt(call, 'language');
  return call.read(async (view) => ({ status: 200, body: toLanguageJson(findLanguage(view, reference)) }));
}

/** Saved once: another fallback changes what readers get in each language that falls back to it. */
async function modifyLanguage(call: Call): Promise<Answer> {
  const operations = readOperations((await call.body()).array());
  return call.write(async (transaction) => {
    let language = findLanguage(transaction, referenceAt(call, 'language'));
    await applyAll(operations, async (operation) => {
      const change = toLanguageChange(operation, language);
      language = await asOperations(
        async () => changedLanguage(transaction, language, change),
        () => operation.index,
      );
    });
    return { status: 200, body: toLanguageJson(await saveLanguage(transaction, language)) };
  });
}

/** @throws invalidBody naming the operation */
export function toLanguageChange(operation: PatchOperation, language: Language): LanguageChange {
  if (operation.op !== 'replace') unknownOperation(operation, 'replace');
  const property = operation.fields.raw('property_name');
  const value = operation.fields.raw('value');
  switch (property) {
    case 'name':
    case 'codename':
      if (typeof value !== 'string') refuseOperation(operation, 'The value must be a string.', 'value');
      return { [property]: value };
    case 'is_active':
      if (typeof value !== 'boolean') refuseOperation(operation, 'The value must be true or false.', 'value');
      return { is_active: value };
    case 'fallback_language': {
      const reference: Reference | undefined = operation.fields.reference('value');
      if (!reference) refuseOperation(operation, 'The value must be a reference to a language.', 'value');
      // A language without a fallback has itself as `fallback_language`, in bodies and answers.
      const isItself = findReferred([language], reference) !== undefined;
      return { fallback_language: isItself ? null : reference };
    }
    default:
      return refuseOperation(
        operation,
        'The properties that can be replaced are name, codename, is_active and fallback_language.',
        'property_name',
      );
  }
}

function toLanguageJson(language: Language) {
  return {
    id: language.id,
    name: language.name,
    codename: language.codename,
    ...(language.externalId !== null && { external_id: language.externalId }),
    is_active: language.isActive,
    is_default: language.isDefault,
    fallback_language: { id: language.fallback ?? language.id },
  };
}

export const languageSchemas = {
  ManagedLanguage: closed<keyof ReturnType<typeof toLanguageJson>>(
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
  ManagedLanguagePage: pageSchema('languages', schema('ManagedLanguage'), 'One page.'),
  ManagedLanguageInput: open(
    {
      name: text('Name, at most 25 characters.'),
      codename: text('Codename, at most 25 characters.'),
      external_id: text('External id.'),
      is_active: flag('True when absent.'),
      fallback_language: reference,
    },
    'A language to be created; without `fallback_language` it falls back to the default language.',
    ['name', 'codename'],
  ),
  ManagedLanguageOperations: arrayOf(
    open(
      {
        op: oneOf(['replace'], 'Operation.'),
        property_name: oneOf(['name', 'codename', 'is_active', 'fallback_language'], 'What is replaced.'),
        value: { description: 'The new value.' },
      },
      'One operation.',
      ['op', 'property_name', 'value'],
    ),
    'Operations in order.',
  ),
};
