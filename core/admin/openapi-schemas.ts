/** Shapes of the admin API. */

import { arrayOf, closed, type Schema, schema, text } from '../http/openapi-shapes.ts';
import { VARIANT_STATES } from '../publishing/variant-states.ts';
import { COUNTED_SURFACES } from '../usage/counts.ts';
import { webhookSchemas } from './openapi-webhooks.ts';

const id = (description: string): Schema => ({ type: 'string', format: 'uuid', description });
const flag = (description: string): Schema => ({ type: 'boolean', description });
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const orNull = ({ type, ...rest }: Schema): Schema => ({ type: [type, 'null'], ...rest });
const named = (description: string): Schema =>
  closed({ id: id('Id.'), name: text('Name.'), codename: text('Codename.') }, description);
const time = (description: string): Schema => text(`${description} ISO 8601, UTC.`);

export function adminSchemas(): Readonly<Record<string, Schema>> {
  const calls = Object.fromEntries(
    COUNTED_SURFACES.map((surface) => [surface, count(`Calls of ${surface}, cache hits included.`)]),
  );
  return {
    AdminPage: closed(
      { next: orNull(text('To ask the next page with, as `after`; null on the last one.')) },
      'Where the listing goes on.',
    ),
    AdminNamed: named('An object of the content model, or an item.'),
    AdminProject: closed(
      {
        id: id('Id of the project.'),
        name: text('Name.'),
        secure_access: flag('Production delivery asks for a key.'),
        management_api: flag('The management API is enabled.'),
        created: time('When it was made.'),
        archived: orNull(time('When it was archived.')),
      },
      'A project.',
      ['created', 'archived'],
    ),
    AdminNewProject: closed(
      {
        id: id('Id of the project.'),
        name: text('Name.'),
        default_language: schema('AdminNamed'),
        keys: closed(
          { 'preview-primary': text('A key.'), 'preview-secondary': text('Another one.') },
          'Keys of preview; shown this once.',
        ),
      },
      'A project that was just made.',
    ),
    AdminKey: closed(
      {
        id: id('Id of the key.'),
        kind: text('`delivery-primary`, `preview-secondary`, `management` …'),
        user: orNull(id('Whose management key it is.')),
        tail: text('Last characters, to tell keys apart.'),
        created: time('When it was made.'),
        expires: orNull(time('When it stops working; null = never.')),
        last_used: orNull(time('When it was used last, roughly.')),
      },
      'What is known of a key; never the key itself.',
    ),
    AdminUsage: closed(
      {
        from: text('First day of the span, UTC.'),
        to: text('Last day of the span, UTC.'),
        days: arrayOf(
          closed({ day: text('The day, UTC.'), ...calls }, 'Calls of a day.'),
          'Days on which something was called, oldest first.',
        ),
        total: closed(calls, 'Calls of all days of the span.'),
        quotas: arrayOf(
          closed(
            {
              surface: { enum: [...COUNTED_SURFACES], description: 'Whose calls are limited.' },
              period: { enum: ['day', 'month'], description: 'Running day or month, UTC.' },
              limit: count('Calls that the period allows.'),
              used: count('Calls of the running period so far.'),
              ends: time('When the next period begins.'),
            },
            'A quota.',
          ),
          'Quotas of the project, if it has any.',
        ),
      },
      'Calls of a project.',
    ),
    ...webhookSchemas(),
    AdminUser: closed(
      {
        id: id('Id of the user.'),
        name: text('Name.'),
        email: text('Mail address.'),
        created: time('When it was made.'),
        projects: arrayOf(
          closed(
            {
              id: id('Id of the project.'),
              capabilities: arrayOf(text('Capability.'), 'What the user may do.'),
            },
            'A project of the user.',
          ),
          'Projects the user belongs to.',
        ),
      },
      'A user.',
    ),
    AdminSitemapNode: closed(
      {
        id: id('Id of the node.'),
        name: text('Name.'),
        codename: text('Codename.'),
        nodes: arrayOf(schema('AdminSitemapNode'), 'Nodes below it.'),
      },
      'A node of the sitemap.',
    ),
    AdminSitemap: closed(
      { nodes: arrayOf(schema('AdminSitemapNode'), 'The roots.') },
      'The sitemap of a project.',
    ),
    AdminItem: closed(
      {
        id: id('Id of the item.'),
        name: text('Name.'),
        codename: text('Codename.'),
        type: schema('AdminNamed'),
        external_id: orNull(text('External id, if it has one.')),
        created: time('When it was made.'),
        last_modified: time('When its name or place changed last.'),
        archived: orNull(time('When it was archived.')),
        languages: arrayOf(
          closed(
            {
              language: schema('AdminNamed'),
              state: { enum: [...VARIANT_STATES], description: 'State of the variant.' },
              last_modified: orNull(time('When the variant changed last.')),
              scheduled_to: orNull(time('When it will be published.')),
            },
            'What there is in a language.',
          ),
          'One for each active language, the default one first.',
        ),
      },
      'An item with the state of each language.',
    ),
    AdminUsedIn: closed(
      {
        item: schema('AdminNamed'),
        language: schema('AdminNamed'),
        published: flag('The published version refers to it.'),
        latest: flag('The latest version does.'),
      },
      'A variant that refers to the item or asset.',
    ),
    AdminPublishPlan: closed(
      {
        plan: flag('Nothing was done: this is what would be.'),
        scheduled_to: orNull(time('When they go public; null = at once.')),
        variants: arrayOf(
          closed(
            {
              item: schema('AdminNamed'),
              language: schema('AdminNamed'),
              change: {
                enum: ['publish', 'replace', 'none'],
                description: 'Newly public, another version, or public already.',
              },
            },
            'A variant.',
          ),
          'The variants, in the order given.',
        ),
        dangling: arrayOf(
          closed(
            {
              from: closed(
                { item: schema('AdminNamed'), language: schema('AdminNamed') },
                'The variant that refers.',
              ),
              to: closed(
                {
                  kind: { enum: ['item', 'asset'], description: 'What it refers to.' },
                  id: id('Its id.'),
                  codename: orNull(text('Its codename, if it has one.')),
                },
                'What it refers to.',
              ),
              reason: {
                enum: ['missing', 'archived', 'unpublished'],
                description: 'Why readers do not get it.',
              },
            },
            'A reference that leads nowhere for readers.',
          ),
          'What the published versions would refer to although readers cannot get it.',
        ),
        validation_errors: arrayOf(
          schema('AdminValidationError'),
          'Where the drafts break limits of their types or lack a required value; publishing is refused for these. The first 10,000.',
        ),
      },
      'What publishing does, or would do.',
    ),
    AdminRevision: closed(
      {
        sequence: count('Sequence of the change.'),
        at: time('When.'),
        type: { enum: ['content_item', 'content_item_variant'], description: 'What changed.' },
        operation: text('`create`, `upsert`, `publish` …'),
        item: closed({ id: id('Id of the item.') }, 'The item.'),
        language: {
          ...orNull(
            closed({ id: id('Id of the language.') }, "The variant's language; null = the item itself."),
          ),
        },
        user: {
          ...orNull(
            closed(
              { id: id('Id of the user.'), name: orNull(text('Name of the user.')) },
              'Whose key it was done with; null = the installation.',
            ),
          ),
        },
      },
      'A change of an item or of a variant of it.',
    ),
    AdminJob: closed(
      {
        id: id('Id of the job.'),
        kind: text('`recompile`, `scheduled-publish` …'),
        project: orNull(id('Id of the project.')),
        subject: text('What it works on.'),
        state: { enum: ['waiting', 'running', 'done', 'failed', 'canceled'], description: 'State.' },
        done: count('How much is done.'),
        total: orNull(count('How much there is.')),
        actor: orNull(id('User it works for; null = the installation.')),
        error: orNull(text('Why it failed.')),
        due: orNull(time('When its time comes.')),
        created: time('When it was made.'),
        updated: time('When it moved last.'),
      },
      'Long work.',
    ),
    AdminAct: closed(
      {
        id: count('Number of the act.'),
        at: time('When.'),
        act: text('The call: `POST projects/:project/publish`.'),
        subject: text('What it was called on.'),
        project: orNull(id('Id of the project.')),
        actor: text('Who: `admin token` or `command line`.'),
        origin: orNull(text('Address of the client; null = this machine.')),
        request_id: orNull(text('The same as in `X-Request-ID`.')),
        detail: text('What was asked for, as JSON; cut when it is long.'),
      },
      'An administrative act.',
    ),
    AdminValidationError: closed(
      {
        message: text('What is wrong.'),
        file: text('Of an archive: the entry that it is in.'),
        row: count('Row of that entry, from 1.'),
        path: text('Where in the body or row.'),
        line: count('Line of the body.'),
        position: count('Place in the line.'),
      },
      'A finding about the body.',
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
}
