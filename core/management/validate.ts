import {
  type ElementIssues,
  type TypeIssues,
  type VariantIssues,
  validateTypes,
  validateVariants,
} from '../content/validate.ts';
import { arrayOf, closed, type Schema, schema } from '../http/openapi-shapes.ts';
import { uuid } from './management-schemas.ts';
import { type Route, routesOf } from './route.ts';

const route = routesOf('Project', { read: 'view-content', write: 'view-content' });

/** @param types validate the content types, too (v2) */
export function validateRoute({ types }: { readonly types: boolean }): Route {
  return route('POST validate', {
    id: 'validate',
    summary: 'Validate the content',
    description:
      'Elements that lack a required value or break a limit of the type, which publishing refuses, and references to missing objects.',
    answers: { 200: { schema: schema(types ? 'ManagedReport' : 'ManagedReportV1') } },
    handler: (call) =>
      call.read(async (view) => ({
        status: 200,
        body: {
          project: { id: view.project.id, name: view.project.name },
          variant_issues: (await validateVariants(view)).map(variantToJson),
          ...(types && { type_issues: validateTypes(view.model).map(typeToJson) }),
        },
      })),
  });
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}

const named = ({ id, name, codename }: Named) => ({ id, name, codename });

function variantToJson({ item, language, issues }: VariantIssues): unknown {
  return { item: named(item), language: named(language), issues: issues.map(elementToJson) };
}

function typeToJson({ type, issues }: TypeIssues): unknown {
  return { type: named(type), issues: issues.map(elementToJson) };
}

function elementToJson({ element, messages }: ElementIssues): unknown {
  return { element: named(element), messages };
}

const string = { type: 'string' };
const namedSchema = closed({ id: uuid, name: string, codename: string }, 'The object with issues.');

function issuesOf(subjects: Schema): Schema {
  const issues = arrayOf(
    closed({ element: namedSchema, messages: { type: 'array', items: string, minItems: 1 } }, 'One element.'),
    'By element.',
  );
  return arrayOf(closed({ ...subjects, issues }, 'Issues of one object.'), 'Objects with issues.');
}

const reportV1 = {
  project: closed({ id: uuid, name: string }, 'The project.'),
  variant_issues: issuesOf({ item: namedSchema, language: namedSchema }),
};

export const reportSchemas = {
  ManagedReportV1: closed(reportV1, 'Issues in the content.'),
  ManagedReport: closed(
    { ...reportV1, type_issues: issuesOf({ type: namedSchema }) },
    'Issues in the content and the types.',
  ),
};
