import type { JsonObject } from '../json-body/parse-body.ts';
import type { Reference } from '../model/inputs.ts';
import { formOf } from '../model/reference.ts';
import type { Dangling } from '../publishing/dangling.ts';
import {
  type PublishPlan,
  planPublish,
  publishMany,
  type VariantReference,
} from '../publishing/publish-many.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { ok, referenceTo, refuse, route } from './call.ts';

export const publishRoutes = [
  route('POST', 'projects/:project/publish', async ({ operations, at, query, body }) => {
    const given = await body();
    const variants = variantsOf(given);
    const time = given['scheduled_to'] ?? undefined;
    const onlyPlan = query.get('plan') === 'true';
    const plan = onlyPlan
      ? await operations.read(at('project'), (view) => planPublish(view, variants, time))
      : await operations.inProject(at('project'), null, (transaction) =>
          publishMany(transaction, variants, time),
        );
    return ok(await toJson(plan, onlyPlan));
  }),
];

/** An item or language is a reference, or just its id or codename. */
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

async function toJson({ at, variants, dangling, violations }: PublishPlan, plan: boolean) {
  const references: object[] = [];
  await eachInTurns(dangling, ({ from, kind, id, codename, reason }) =>
    references.push({ from: variantJson(from), to: { kind, id, codename }, reason }),
  );
  return {
    plan,
    scheduled_to: at,
    variants: variants.map(({ change, ...variant }) => ({ ...variantJson(variant), change })),
    dangling: references,
    validation_errors: violations,
  };
}

function variantJson({ item, language }: Dangling['from']) {
  return {
    item: { id: item.id, name: item.name, codename: item.codename },
    language: { id: language.id, name: language.name, codename: language.codename },
  };
}
