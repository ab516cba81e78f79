import { arrayOf, closed, count, flag, id, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { ACT_CHANGES, ACT_NAMES } from '../publishing/acts.ts';
import type { planJson } from './act-plan.ts';
import type { actJson, dueJson } from './acts.ts';
import { ALLOWED_SCHEMA } from './allowed-schema.ts';
import { danglingSchema } from './dangling-schema.ts';

const found = (of: ReturnType<typeof schema>, description: string) =>
  closed(
    {
      count: count('How many there are; more than 10,000 are not counted.'),
      first: arrayOf(of, 'The first 100.'),
    },
    description,
  );
const variant = closed({ item: schema('AdminNamed'), language: schema('AdminNamed') }, 'A variant.');

/** What readers and receivers notice of a change. */
export const noticedProperties = {
  shown_by: found(variant, 'Public variants that refer to what changes for readers.'),
  webhook_count: count('Enabled webhooks that are called when it takes effect.'),
  webhooks: arrayOf(
    closed({ id: id('Id of the webhook.'), name: text('Its name.') }, 'A webhook.'),
    "Which ones; none without the permission 'manage-apis'.",
  ),
};

export const actSchemas = {
  AdminActPlan: closed<keyof Awaited<ReturnType<typeof planJson>>>(
    {
      act: { enum: [...ACT_NAMES], description: 'The act.' },
      version: text(
        'Names this plan: an act with it as `plan` is refused where something of the plan is different by then.',
      ),
      scheduled_to: orNull(time('When it takes effect; null = at once.')),
      total: count('Objects that change.'),
      is_job: flag('They are so many that a job acts on them.'),
      changes: {
        type: 'object',
        additionalProperties: { type: 'integer' },
        propertyNames: { enum: [...ACT_CHANGES] },
        description: 'How many objects change in each way; `none`: there is nothing to do.',
      },
      objects: arrayOf(
        closed(
          {
            item: schema('AdminNamed'),
            language: orNull(schema('AdminNamed')),
            change: { enum: [...ACT_CHANGES], description: 'What happens to it.' },
            is_included: flag('It was not selected: other objects link to it.'),
            elements: orNull(
              arrayOf(
                schema('AdminNamed'),
                'Elements that the draft has other values in than the public version; null: there is no such version, or it was not compared.',
              ),
            ),
          },
          'An object that changes; a whole item has no language.',
        ),
        'The first 100 objects that change.',
      ),
      dangling: found(
        danglingSchema(variant, 'A reference.'),
        'References of the versions to publish that readers could not follow.',
      ),
      linked_drafts: found(variant, 'Drafts that `dangling` leads to; `include_linked` publishes them too.'),
      broken_links: found(
        closed({ from: variant, to: schema('AdminNamed') }, 'A reference.'),
        'References of public variants that readers could not follow any more.',
      ),
      fallbacks: found(
        closed(
          { item: schema('AdminNamed'), language: schema('AdminNamed'), shows: orNull(schema('AdminNamed')) },
          'An item, the language of readers, and the language they get; null: the item is gone for them.',
        ),
        'Readers who get an item in another language than theirs, or not at all, after the act.',
      ),
      violations: found(
        schema('AdminValidationError'),
        'Where drafts break rules of their types; the act is refused for these.',
      ),
      ...noticedProperties,
    },
    'What an act would do.',
  ),
  AdminManyAct: closed<keyof Awaited<ReturnType<typeof actJson>>>(
    {
      id: id('Id of the job.'),
      act: { enum: [...ACT_NAMES], description: 'The act.' },
      state: {
        enum: ['running', 'taking_back', 'done', 'failed', 'canceled'],
        description: 'Failed and canceled ones are taken back first: `done` falls to the objects that stay.',
      },
      done: count('Objects acted on.'),
      total: count('Objects to act on.'),
      actor: orNull(id('User; null = the installation.')),
      error: orNull(text('Why it failed.')),
      created: time('When it was started.'),
      updated: time('When its state changed last.'),
      can_undo: flag('It can be taken back.'),
    },
    'An act on many objects.',
  ),
  AdminDueVariant: closed<keyof ReturnType<typeof dueJson>>(
    {
      scheduled_to: time('When it is published.'),
      schedule: id('Job of the schedule; its variants are published together.'),
      item: schema('AdminNamed'),
      language: schema('AdminNamed'),
      allowed: { ...ALLOWED_SCHEMA, description: 'What you may do with the variant.' },
    },
    'A scheduled variant.',
  ),
};
