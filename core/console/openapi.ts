/** OpenAPI description of the calls of the console for the signed-in person. Paths start with `/console` and carry `x-surface`. */
import { PERMISSIONS } from '../access/permissions.ts';
import { describeErrors } from '../http/describe-errors.ts';
import { describeRoutes } from '../http/describe-routes.ts';
import {
  arrayOf,
  closed,
  contentScope,
  count,
  flag,
  id,
  mapOf,
  orNull,
  text,
  time,
} from '../http/openapi-shapes.ts';
import { CONTENT_PERMISSIONS } from '../transaction/content-access.ts';
import { sessionCookieName } from './console-cookie.ts';
import { personRoutes } from './routes.ts';

const errors = describeErrors(
  'Console',
  'AdminError',
  {
    401: ['Unauthorized', 'There is no session, or it has ended, or another person has signed in since.'],
    403: [
      'Forbidden',
      'The password is wrong, the roles of the person do not permit it, or a write does not come from a page of the console.',
    ],
    429: [
      'TooManyCalls',
      'The session makes too many calls, or too many wrong passwords came from this address.',
    ],
  },
  // None of these objects has an `ETag`.
  { without: [409, 412], byKey: false },
);

/** Tags, paths and components, which `coreOpenapi` merges with those of the other surfaces. */
export function consoleOpenapi() {
  return {
    tags: [
      {
        name: 'Console',
        description:
          'What concerns the person who is signed in at the console. With the same cookie, `/console/api/manage/…` and `/console/api/admin/…` answer as the management API (version 2) and the admin API do, as far as the roles of the person permit.',
      },
    ],
    paths: describeRoutes(
      {
        surface: 'console',
        tag: 'Console',
        base: '/console',
        parameters: [],
        describeParameter: (name) => `Id of the ${name}.`,
        idPrefix: 'console',
        security: [{ consoleSession: [] }],
        errors: errors.references,
      },
      personRoutes,
    ),
    components: {
      schemas: consoleSchemas,
      responses: errors.responses,
      securitySchemes: {
        consoleSession: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName('https:'),
          description:
            'The session of a person, which signing in at the console begins. The cookie is sent to the console only, over HTTPS; on this machine also over HTTP, without the prefix __Secure-.',
        },
      },
    },
  };
}

const consoleSchemas = {
  ConsoleSession: closed(
    {
      person: closed({
        id: id('Id of the user.'),
        name: text('Name.'),
        email: text('Mail address.'),
        is_operator: flag('May do everything in the whole installation.'),
      }),
      is_confirmed: flag('Signed in, or the password confirmed, within the last quarter of an hour.'),
      ends_in: count('Seconds until the session ends, unless it is used.'),
      projects: arrayOf(
        closed({
          id: id('Id of the project.'),
          name: text('Name.'),
          permissions: arrayOf({ enum: [...PERMISSIONS] }, 'What the person may do in it.'),
          limits: mapOf(arrayOf(contentScope), 'Permissions that are only for some content.', {
            enum: [...CONTENT_PERMISSIONS],
          }),
        }),
        'Projects in which the person has a role; all of them for operators.',
      ),
    },
    'Who is signed in.',
  ),
  ConsoleOwnSession: closed(
    {
      id: id('Id of the session.'),
      created: time('When it began.'),
      seen: time('Its last use, to five minutes.'),
      address: orNull(text('Address of the client.')),
      browser: orNull(text('`User-Agent` of the client.')),
      is_current: flag('The session of this call.'),
    },
    'A session of the person.',
  ),
};
