import { closed, type Schema, schema, text } from '../http/openapi-shapes.ts';

export const uuid: Schema = { type: 'string', format: 'uuid' };
export const dateTime: Schema = { type: 'string', format: 'date-time' };
/** A reference in an answer: always by id. */
export const idReference: Schema = schema('ManagedIdReference');
/** A reference in a request body: by id, codename or external id. */
export const reference: Schema = schema('ManagedReference');

/** A page of a listing: `{items: […], pagination}`. */
export function pageOf(name: string, one: Schema, description: string): Schema {
  return closed(
    { [name]: { type: 'array', items: one }, pagination: schema('ManagedPagination') },
    description,
  );
}

const nullable = (of: Schema): Schema => ({ anyOf: [of, { type: 'null' }] });

export const managementSchemas: Readonly<Record<string, Schema>> = {
  ManagedIdReference: closed({ id: uuid }, 'Reference by internal id.'),
  ManagedReference: {
    type: 'object',
    description: 'Exactly one of the three.',
    properties: { id: text('Internal id.'), codename: text('Codename.'), external_id: text('External id.') },
    minProperties: 1,
    maxProperties: 1,
  },
  ManagedPagination: closed(
    {
      continuation_token: nullable(text('Names the next page; null on the last.')),
      next_page: nullable(text('URL of the next page; null on the last.')),
    },
    'Position of the next page.',
  ),
  ManagedError: closed(
    {
      request_id: { type: 'string', minLength: 1 },
      error_code: { type: 'integer', minimum: 0, description: 'Stable code of the error.' },
      message: { type: 'string', minLength: 1 },
      validation_errors: {
        type: 'array',
        minItems: 1,
        description: 'Everything that is wrong with the body; with error code 5.',
        items: closed(
          {
            message: { type: 'string', minLength: 1 },
            path: text('Path in the body, such as `elements[2].value`.'),
            line: { type: 'integer', minimum: 1 },
            position: { type: 'integer', minimum: 1, description: 'In the line.' },
          },
          'One issue.',
          ['path', 'line', 'position'],
        ),
      },
    },
    'Error of the management API.',
    ['validation_errors'],
  ),
};
