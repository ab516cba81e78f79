/** Calls of the management API as commands: each is made, its status held against the model, and all that can be read. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { idOfExternalId } from '../../../core/model/external-id.ts';
import {
  addItem,
  type Changes,
  changeItem,
  changeVariant,
  type ItemModel,
  LANGUAGES,
  type Language,
  living,
  type ManagedModel,
  removeVariant,
  TAGS,
} from './managed-model.ts';
import { expectedState, type ManagedProject } from './managed-project.ts';

type Version = 'v1' | 'v2';
type Command = fc.AsyncCommand<ManagedModel, ManagedProject>;

/** Makes the call, then compares everything. */
abstract class Call implements Command {
  check(_model: Readonly<ManagedModel>): boolean {
    return true;
  }

  async run(model: ManagedModel, real: ManagedProject): Promise<void> {
    await this.make(model, real);
    deepStrictEqual(await real.state(model), expectedState(model));
  }

  protected abstract make(model: ManagedModel, real: ManagedProject): Promise<void>;
  abstract toString(): string;
}

/** A call about an item that is there. */
abstract class ItemCall extends Call {
  readonly which: number;
  readonly form: number;

  constructor(which: number, form: number) {
    super();
    this.which = which;
    this.form = form;
  }

  override check(model: Readonly<ManagedModel>): boolean {
    return living(model).length > 0;
  }

  protected item(model: ManagedModel): ItemModel {
    const items = living(model);
    return items[this.which % items.length]!;
  }

  protected path(model: ManagedModel): string {
    const { id, codename, externalId } = this.item(model);
    const forms = [id, `codename/${codename}`, externalId === null ? id : `external-id/${externalId}`];
    return `/items/${forms[this.form % forms.length]}`;
  }
}

class Create extends Call {
  readonly version: Version;
  readonly name: string;
  readonly externalId: string | null;
  readonly upsert: boolean;
  readonly location: string | null;

  constructor(
    version: Version,
    name: string,
    externalId: string | null,
    upsert: boolean,
    location: string | null,
  ) {
    super();
    this.version = version;
    this.name = name;
    this.externalId = externalId;
    this.upsert = upsert;
    this.location = location;
  }

  protected async make(model: ManagedModel, real: ManagedProject): Promise<void> {
    const { name, externalId } = this;
    const locations = this.location === null ? [] : [this.location];
    const body = {
      name,
      type: { codename: 'piece' },
      sitemap_locations: locations.map((codename) => ({ codename })),
    };
    const there =
      externalId === null
        ? undefined
        : living(model).find((item) => item.id === idOfExternalId(real.id, 'item', externalId));
    if (this.upsert && externalId !== null) {
      const answer = await real.call(this.version, 'PUT', `/items/external-id/${externalId}`, body);
      strictEqual(answer.status, there ? 200 : 201);
      if (there) changeItem(model, there, name, locations);
      else addItem(model, { id: answer.body['id'] as string, externalId, name, locations });
      return;
    }
    const answer = await real.call(this.version, 'POST', '/items', {
      ...body,
      ...(externalId !== null && { external_id: externalId }),
    });
    strictEqual(answer.status, there ? 400 : 201);
    if (!there) addItem(model, { id: answer.body['id'] as string, externalId, name, locations });
  }

  toString(): string {
    return `${this.version} ${this.upsert ? 'upsert' : 'create'} ${this.name} ${this.externalId} ${this.location}`;
  }
}

class Rename extends ItemCall {
  readonly version: Version;
  readonly name: string;
  readonly location: string | null;

  constructor(which: number, form: number, version: Version, name: string, location: string | null) {
    super(which, form);
    this.version = version;
    this.name = name;
    this.location = location;
  }

  protected async make(model: ManagedModel, real: ManagedProject): Promise<void> {
    const locations = this.location === null ? [] : [this.location];
    const answer = await real.call(this.version, 'PUT', this.path(model), {
      name: this.name,
      sitemap_locations: locations.map((codename) => ({ codename })),
    });
    strictEqual(answer.status, 200);
    changeItem(model, this.item(model), this.name, locations);
  }

  toString(): string {
    return `${this.version} rename #${this.which} ${this.name} ${this.location}`;
  }
}

class Remove extends ItemCall {
  protected async make(model: ManagedModel, real: ManagedProject): Promise<void> {
    const answer = await real.call('v2', 'DELETE', this.path(model));
    strictEqual(answer.status, 204);
    this.item(model).archived = true;
  }

  toString(): string {
    return `delete #${this.which}`;
  }
}

abstract class VariantCall extends ItemCall {
  readonly language: Language;

  constructor(which: number, form: number, language: Language) {
    super(which, form);
    this.language = language;
  }

  protected variantPath(model: ManagedModel): string {
    return `${this.path(model)}/variants/codename/${this.language}`;
  }
}

interface Draft extends Omit<Changes, 'links'> {
  /** Numbers of items, or external ids. */
  readonly links?: readonly (number | string)[];
}

class Write extends VariantCall {
  readonly version: Version;
  readonly changes: Draft;

  constructor(which: number, form: number, language: Language, version: Version, changes: Draft) {
    super(which, form, language);
    this.version = version;
    this.changes = changes;
  }

  protected async make(model: ManagedModel, real: ManagedProject): Promise<void> {
    const { links: wanted, ...changes } = this.changes;
    const items = living(model);
    const links = wanted && [
      ...new Set(
        wanted.map((one) =>
          typeof one === 'number' ? items[one % items.length]!.id : idOfExternalId(real.id, 'item', one),
        ),
      ),
    ];
    const references = links?.map((id) => {
      const externalId = wanted?.find(
        (one) => typeof one === 'string' && idOfExternalId(real.id, 'item', one) === id,
      );
      return externalId === undefined ? { id } : { external_id: externalId };
    });
    const values: Record<string, unknown> = {
      ...changes,
      ...(changes.tags && { tags: changes.tags.map((codename) => ({ codename })) }),
      ...(references && { links: references }),
    };
    // Version 1 has no word for a slug that follows.
    const follow = typeof changes.slug === 'object';
    const version = follow ? 'v2' : this.version;
    const answer = await real.call(version, 'PUT', this.variantPath(model), {
      elements:
        version === 'v1'
          ? values
          : Object.entries(values).map(([codename, value]) =>
              codename === 'slug' && follow
                ? { element: { codename }, mode: 'autogenerated' }
                : { element: { codename }, value },
            ),
    });
    const done = changeVariant(this.item(model), this.language, { ...changes, ...(links && { links }) });
    strictEqual(answer.status, done ? (done.created ? 201 : 200) : 400);
  }

  toString(): string {
    return `${this.version} write #${this.which} ${this.language} ${JSON.stringify(this.changes)}`;
  }
}

/** Reads the variant and sends back what came. */
class PutBack extends VariantCall {
  readonly version: Version;

  constructor(which: number, form: number, language: Language, version: Version) {
    super(which, form, language);
    this.version = version;
  }

  protected async make(model: ManagedModel, real: ManagedProject): Promise<void> {
    const path = this.variantPath(model);
    const variant = this.item(model).variants.get(this.language);
    const read = await real.call(this.version, 'GET', path);
    strictEqual(read.status, variant ? 200 : 404);
    if (!variant) return;
    const written = await real.call(this.version, 'PUT', path, read.body);
    strictEqual(written.status, 200);
    deepStrictEqual(written.body, read.body);
  }

  toString(): string {
    return `${this.version} put back #${this.which} ${this.language}`;
  }
}

const MOVES = ['publish', 'unpublish', 'new-version', 'unpublish-and-archive', 'delete'] as const;

class Move extends VariantCall {
  readonly move: (typeof MOVES)[number];

  constructor(which: number, form: number, language: Language, move: (typeof MOVES)[number]) {
    super(which, form, language);
    this.move = move;
  }

  protected async make(model: ManagedModel, real: ManagedProject): Promise<void> {
    const path = this.variantPath(model);
    const item = this.item(model);
    const variant = item.variants.get(this.language);
    const answer =
      this.move === 'delete'
        ? await real.call('v2', 'DELETE', path)
        : await real.call('v2', 'PUT', `${path}/${this.move}`);
    const isPublic = this.move === 'publish' || this.move === 'delete' || variant?.published != null;
    strictEqual(answer.status, variant ? (isPublic ? 204 : 400) : 404);
    if (!variant || !isPublic) return;
    switch (this.move) {
      case 'publish':
        variant.published = variant.draft ?? variant.published;
        variant.draft = null;
        break;
      case 'unpublish':
        variant.draft ??= variant.published;
        variant.published = null;
        break;
      case 'new-version':
        variant.draft ??= variant.published;
        break;
      default:
        removeVariant(item, this.language);
    }
  }

  toString(): string {
    return `${this.move} #${this.which} ${this.language}`;
  }
}

const which = fc.nat(7);
const form = fc.nat(2);
const version = fc.constantFrom<Version>('v1', 'v2');
const language = fc.constantFrom(...LANGUAGES);
const name = fc.constantFrom('Alpha', 'Beta', 'Gamma');
const externalId = fc.constantFrom('x1', 'x2', 'x3');
const location = fc.option(fc.constantFrom('north', 'south'));
const changes: fc.Arbitrary<Draft> = fc.record(
  {
    title: fc.option(fc.constantFrom('One', 'Two words')),
    amount: fc.option(fc.constantFrom(0, -1.5, 1000)),
    tags: fc.subarray([...TAGS]),
    slug: fc.oneof(fc.constantFrom('one', 'own'), fc.constant({ follow: true as const })),
    links: fc.array(fc.oneof(which, externalId), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

export const managedCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(version, name, fc.option(externalId), fc.boolean(), location).map((given) => new Create(...given)),
  fc.tuple(which, form, version, name, location).map((given) => new Rename(...given)),
  fc.tuple(which, form, language, version, changes).map((given) => new Write(...given)),
  fc.tuple(which, form, language, version, changes).map((given) => new Write(...given)),
  fc.tuple(which, form, language, version).map((given) => new PutBack(...given)),
  fc.tuple(which, form, language, fc.constantFrom(...MOVES)).map((given) => new Move(...given)),
  fc.tuple(which, form, language, fc.constant('publish' as const)).map((given) => new Move(...given)),
  fc.tuple(which, form).map((given) => new Remove(...given)),
];
