import { z } from 'zod';
import { namesOfReferences } from '../content/names-of-references.ts';
import { type HistoryEntry, variantHistory } from '../content/variant-history.ts';
import { elementsOf, findVersion, findVersioned, type VersionedVariant } from '../content/versions.ts';
import {
  arrayOf,
  closed,
  count,
  flag,
  id,
  mapOf,
  oneOf,
  orNull,
  schema,
  text,
  time,
} from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { WHOLE } from '../http/route.ts';
import { normalValue } from '../model/normal-value.ts';
import { allowedWithVariant } from '../publishing/allowed-acts.ts';
import { restoreVersion } from '../publishing/restore-version.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { ALLOWED_SCHEMA } from './allowed-schema.ts';
import { type Answer, afterOf, type Call, limitOf, ok, pageAnswer } from './call.ts';
import { named, namedVariant } from './named.ts';
import { pages, routesOf, shows } from './route.ts';

const VARIANT = 'projects/:project/items/:item/variants/:language';
const NEWEST = Number.MAX_SAFE_INTEGER;

const RESTORED = z.strictObject({
  version: z.number().int().min(1).max(NEWEST).describe('Number of the version, from the history.'),
  elements: z
    .array(z.string())
    .min(1)
    .max(10_000)
    .optional()
    .describe('Ids of the elements that get their values of that version; all of it when not given.'),
});

const route = routesOf({ read: 'view-content', write: 'edit-content' });

export const versionRoutes = [
  route(`GET ${VARIANT}/history`, {
    id: 'variantHistory',
    summary: 'List what happened to a variant, newest first',
    ...pages('history', 'AdminHistoryEntry'),
    handler: history,
  }),
  route(`GET ${VARIANT}/versions/:version`, {
    id: 'getVersion',
    summary: 'Read a version of a variant',
    answers: shows('AdminVersion'),
    handler: version,
  }),
  route(`GET ${VARIANT}/draft`, {
    id: 'getDraft',
    tagged: WHOLE,
    summary: 'Read which versions of a variant are its draft and public',
    answers: shows('AdminVersionedVariant'),
    handler: async (call) =>
      ok(await call.operations.read(call.at('project'), (view) => variantJson(view, call))),
  }),
  route(`PUT ${VARIANT}/draft`, {
    id: 'restoreVersion',
    summary: 'Restore a version, or elements of it, as the draft',
    description:
      'The draft gets the values as they were stored, also those that break rules of the type since; a published variant without a draft gets one. Nothing changes for readers. To undo it, restore the version that was the draft before.',
    body: bodyOf(RESTORED),
    answers: shows('AdminVersionedVariant'),
    handler: async (call) => {
      const { operations, at, body } = call;
      const given = await body(RESTORED);
      return ok(
        await operations.inProject(at('project'), null, async (transaction) => {
          await restoreVersion(transaction, { id: at('item') }, { id: at('language') }, given);
          return variantJson(transaction, call);
        }),
      );
    },
  }),
];

function variantAt(view: ProjectView, { at }: Call): Promise<VersionedVariant> {
  return findVersioned(view, { id: at('item') }, { id: at('language') });
}

async function history(call: Call): Promise<Answer> {
  const before = afterOf(call.query, [NEWEST, NEWEST] as readonly [number, number]);
  const limit = limitOf(call.query);
  const rows = await call.operations.read(call.at('project'), async (view) =>
    variantHistory(view, await variantAt(view, call), { before, limit: limit + 1 }),
  );
  return pageAnswer('history', rows, limit, ({ sequence, part }) => [sequence, part], entryJson);
}

async function version(call: Call): Promise<Answer> {
  const { operations, at } = call;
  const number = /^[1-9]\d{0,14}$/.test(at('version')) ? Number(at('version')) : 0;
  return operations.read(at('project'), async (view) => {
    const variant = await variantAt(view, call);
    const { type } = variant.item;
    const found = await findVersion(view, variant, number);
    const elements = await elementsOf(found);
    return ok({
      version: number,
      created: found.created,
      user: found.user,
      type: named(type),
      elements: type.fields.map(({ element }) => ({
        id: element.id,
        value: normalValue(view.model, element, elements[element.id]),
      })),
      references: await namesOfReferences(view, type, elements),
    });
  });
}

async function variantJson(view: ProjectView, call: Call) {
  const { item, language, draft, published, scheduledTo, lastModified, isArchived } = await variantAt(
    view,
    call,
  );
  return {
    ...namedVariant({ item, language }),
    type: named(item.type),
    draft,
    published,
    scheduled_to: scheduledTo,
    last_modified: lastModified,
    is_archived: isArchived,
    allowed: allowedWithVariant(view, item.type, { language, scheduledTo }),
  };
}

function entryJson({ sequence, at, operation, user, version }: HistoryEntry) {
  return { sequence, at, operation, user, version };
}

const userSchema = orNull(
  closed(
    { id: id('Id of the user.'), name: orNull(text('Name of the user.')) },
    'Who did it; null = the installation.',
  ),
);

export const versionSchemas = {
  AdminStoredValue: {
    description:
      'By the kind of the element: a text or number, null where there is none; ids of items, assets, options or terms; a URL slug; rich text.',
    anyOf: [
      { type: ['string', 'number', 'null'] },
      arrayOf(text('An id.')),
      closed(
        { value: text('The URL slug.'), mode: oneOf(['autogenerated', 'custom'], 'Who sets it.') },
        'Of URL slugs.',
      ),
      closed(
        {
          html: text('The text; objects in it have no media type.'),
          components: arrayOf(
            closed(
              {
                id: id('Its id.'),
                type: id('Id of its content type.'),
                elements: mapOf(schema('AdminStoredValue'), 'Values by the id of the element.'),
              },
              'A single-use item in the text.',
            ),
          ),
        },
        'Of rich text.',
      ),
    ],
  },
  AdminHistoryEntry: closed<keyof ReturnType<typeof entryJson>>(
    {
      sequence: count('Sequence of the change.'),
      at: time('When.'),
      operation: text(
        '`create`, `upsert` (a draft was saved), `restore_version`, `new_version`, `publish`, `schedule`, `cancel_schedule`, `unpublish`, `archive`, `restore`, `restore_publish` …',
      ),
      user: userSchema,
      version: orNull(
        count('The version that was written, published or scheduled; null = it is no longer kept.'),
      ),
    },
    'Something that happened to a variant.',
  ),
  AdminVersion: closed(
    {
      version: count('Number of the version.'),
      created: time('When it was written.'),
      user: userSchema,
      type: schema('AdminNamed'),
      elements: arrayOf(
        closed(
          { id: id('Id of the element.'), value: schema('AdminStoredValue') },
          'The value of an element.',
        ),
        'All elements that the type has now, in its order.',
      ),
      references: arrayOf(
        closed(
          {
            kind: oneOf(['item', 'asset'], 'What it is.'),
            id: id('Its id.'),
            name: orNull(text('Its name; null: it does not exist yet, or you may not view it.')),
          },
          'An item or asset.',
        ),
        'What the values refer to.',
      ),
    },
    'A version of a variant.',
  ),
  AdminVersionedVariant: closed<keyof Awaited<ReturnType<typeof variantJson>>>(
    {
      item: schema('AdminNamed'),
      language: schema('AdminNamed'),
      type: schema('AdminNamed'),
      draft: orNull(count('Number of the version that is the draft.')),
      published: orNull(count('Number of the version that readers get.')),
      scheduled_to: orNull(time('When the draft is published.')),
      last_modified: time('When the variant changed last.'),
      is_archived: flag('The variant or its item is archived.'),
      allowed: { ...ALLOWED_SCHEMA, description: 'What you may do with the variant.' },
    },
    'A variant with its versions.',
  ),
};
