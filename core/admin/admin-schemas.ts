import { arrayOf, closed, count, id, orNull, schema, text } from '../http/openapi-shapes.ts';

/** Schemas that several calls use. */
export const adminSchemas = {
  AdminPage: closed(
    { next: orNull(text('Value of `after` for the next page; null on the last one.')) },
    'Position of the next page.',
  ),
  AdminNamed: closed(
    { id: id('Id.'), name: text('Name.'), codename: text('Codename.') },
    'An object of the content model, or an item.',
  ),
  AdminValidationError: closed(
    {
      message: text('What is wrong.'),
      file: text('Of an archive: the entry that it is in.'),
      row: count('Row of that entry, from 1.'),
      path: text('Where in the body or row.'),
      line: count('Line of the body.'),
      position: count('Column in the line.'),
    },
    'An issue with the body.',
    ['file', 'row', 'path', 'line', 'position'],
  ),
  AdminError: closed(
    {
      request_id: { type: 'string', minLength: 1, description: 'The same as in `X-Request-ID`.' },
      error_code: count('Stable code of the error.'),
      message: { type: 'string', minLength: 1, description: 'What is wrong.' },
      validation_errors: arrayOf(schema('AdminValidationError'), 'Everything wrong with the body.'),
    },
    'Error body of the admin API.',
    ['validation_errors'],
  ),
};
