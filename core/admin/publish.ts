import { arrayOf, closed, flag, open, orNull, schema, time } from '../http/openapi-shapes.ts';
import type { JsonObject } from '../json-body/parse-body.ts';
import type { Reference } from '../model/inputs.ts';
import { formOf } from '../model/reference.ts';
import {
  type PublishPlan,
  planPublish,
  publishMany,
  type VariantReference,
} from '../publishing/publish-many.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { isOn, ok, referenceTo, refuse } from './call.ts';
import { danglingSchema } from './dangling-schema.ts';
import { namedVariant } from './named.ts';
import { planOnly, routesOf, shows, string, stringOrNull } from './route.ts';

/** A reference, or a plain id or codename. */
const reference = {
  oneOf: [
    string,
    {
      type: 'object',
      properties: { id: string, codename: string, external_id: string },
      minProperties: 1,
      maxProperties: 1,
    },
  ],
};

const route = routesOf({ read: 'view-content', write: 'publish' });

export const publishRoutes = [
  route('POST projects/:project/publish', {
    id: 'publishMany',
    summary: 'Publish several variants, all or none, or plan it',
    parameters: [planOnly],
    body: open(
      {
        variants: { ...arrayOf(closed({ item: reference, language: reference })), minItems: 1 },
        scheduled_to: stringOrNull,
      },
      undefined,
      ['variants'],
    ),
    answers: shows('AdminPublishPlan'),
    handler: async ({ operations, at, query, body }) => {
      const given = await body();
      const variants = variantsOf(given);
      const time = given['scheduled_to'] ?? undefined;
      const onlyPlan = isOn(query, 'plan');
      const plan = onlyPlan
        ? await operations.read(at('project'), (view) => planPublish(view, variants, time))
        : await operations.inProject(at('project'), null, (transaction) =>
            publishMany(transaction, variants, time),
          );
      return ok(await toJson(plan, onlyPlan));
    },
  }),
];

/** Items and languages are references, or plain ids or codenames. */
function variantsOf(body: JsonObject): VariantReference[] {
  const { variants } = body;
  if (!Array.isArray(variants) || variants.length === 0)
    return refuse("'variants' must be an array of {item, language}.", 'variants');
  return variants.map((variant: unknown, index) => ({
    item: partOf(variant, 'item', `variants[${index}]`),
    language: partOf(variant, 'language', `variants[${index}]`),
  }));
}

function partOf(variant: unknown, name: 'item' | 'language', path: string): Reference {
  const given: unknown =
    typeof variant === 'object' && variant !== null ? Reflect.get(variant, name) : undefined;
  if (typeof given === 'string' && given !== '') return referenceTo(given);
  const found = formOf(given);
  if (found) return { [found.form]: found.text };
  return refuse(`'${name}' must have exactly one of id, codename, external_id.`, `${path}.${name}`);
}

async function toJson({ at, targets, dangling, violations }: PublishPlan, plan: boolean) {
  const references: object[] = [];
  await eachInTurns(dangling, ({ from, kind, id, name, codename, reason }) =>
    references.push({ from: namedVariant(from), to: { kind, id, name, codename }, reason }),
  );
  return {
    plan,
    scheduled_to: at,
    variants: targets.flatMap(({ item, language, change }) =>
      language ? [{ ...namedVariant({ item, language }), change }] : [],
    ),
    dangling: references,
    validation_errors: violations,
  };
}

export const publishSchemas = {
  AdminPublishPlan: closed<keyof Awaited<ReturnType<typeof toJson>>>(
    {
      plan: flag('Nothing was changed; the answer is a plan.'),
      scheduled_to: orNull(time('When they are published; null = at once.')),
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
        danglingSchema(
          closed({ item: schema('AdminNamed'), language: schema('AdminNamed') }, 'The variant that refers.'),
          'A reference that readers cannot follow.',
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
};
