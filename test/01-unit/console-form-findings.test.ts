/** Findings of a plan to publish, at the elements of the form. */
import { expect } from 'chai';
import type { Dangling } from '../../plugins/console/app/acts/act-data.ts';
import { lengthOf } from '../../plugins/console/app/screens/item/findings.ts';
import { FormFindings } from '../../plugins/console/app/screens/item/form-findings.ts';
import type { ContentModel } from '../../plugins/console/app/screens/item/form-groups.ts';
import { ItemForm, type VariantServer } from '../../plugins/console/app/screens/item/item-form.ts';
import type {
  ContentType,
  ManagedVariant,
  ValueDefinition,
} from '../../plugins/console/app/screens/item/managed.ts';

const base = (id: string) => ({
  id,
  name: `Name of ${id}`,
  codename: id,
  guidelines: null,
  is_required: false,
});
const text = (id: string): ValueDefinition => ({ ...base(id), type: 'text', maximum_text_length: null });
const rich = (id: string): ValueDefinition => ({
  ...base(id),
  type: 'rich_text',
  maximum_text_length: null,
  allowed_content_types: [],
  maximum_image_size: null,
  allowed_image_types: 'any',
  image_width_limit: null,
  image_height_limit: null,
});
const items: ValueDefinition = {
  ...base('items'),
  type: 'modular_content',
  item_count_limit: null,
  allowed_content_types: [],
};
const meta = { ...base('meta'), elements: [text('keywords')] };
const box: ContentType = { ...base('box'), content_groups: [], elements: [text('title'), rich('inner')] };
const page: ContentType = {
  ...base('page'),
  content_groups: [],
  elements: [
    text('title'),
    { type: 'snippet', id: 'meta_here', snippet: { id: 'meta' } },
    items,
    rich('body'),
  ],
};
const model: ContentModel = {
  types: new Map([box, page].map((type) => [type.id, type])),
  snippets: new Map([[meta.id, meta]]),
  taxonomies: new Map(),
  languages: [],
};
const object = (id: string) => `<object data-type="component" data-id="${id}"></object>`;
const LINKED = '11111111-2222-4333-8444-555555555555';
/** Its components are given in another order than that of the text, and one is in another one. */
const variant: ManagedVariant = {
  last_modified: '',
  elements: [
    { element: { id: 'items' }, value: [{ id: LINKED }] },
    {
      element: { id: 'body' },
      value: `<p>a</p>${object('second')}${object('first')}`,
      components: [
        { id: 'first', type: { id: 'box' }, elements: [] },
        {
          id: 'second',
          type: { id: 'box' },
          elements: [
            {
              element: { id: 'inner' },
              value: `<p><a data-item-id="${LINKED}">x</a></p>${object('deep')}`,
              components: [{ id: 'deep', type: { id: 'box' }, elements: [] }],
            },
          ],
        },
      ],
    },
  ],
};

describe('findings of a plan to publish', () => {
  let form: ItemForm;
  let findings: FormFindings;
  beforeEach(() => {
    form = new ItemForm(model, page, { variant, etag: '1' }, {} as VariantServer);
    findings = new FormFindings('item', 'language');
    findings.follow(form);
  });
  const open = () =>
    findings.open.map(({ elements }) => elements.map(({ definition }) => definition.codename));
  const violation = (path: string, message = 'Wrong.') => ({
    path: `objects[0].elements.${path}`,
    message: `The element 'x' of 'item' (en): ${message}`,
  });
  const dangling = (item = 'item'): Dangling => ({
    from: { item: { ...base(item) }, language: { ...base('language') } },
    to: { id: LINKED, name: 'Linked' },
    reason: 'unpublished',
  });

  it('are at the element, in snippets and in components too, until it is changed', () => {
    findings.take(
      [
        violation('title', 'Required.'),
        violation('meta__keywords'),
        violation('items[0]'),
        violation(
          'body.components[0].elements.inner.components[0].elements.title',
          "In the component 'second', element 'Inner': In the component 'deep', element 'Title': Deep.",
        ),
        violation('body.components[1]', 'No such type.'),
      ],
      [],
    );
    expect(open()).to.deep.equal([
      ['title'],
      ['meta__keywords'],
      ['items'],
      ['body', 'inner', 'title'],
      ['body'],
    ]);
    const title = form.elements.get('title');
    expect(title?.publishFindings.peek()).to.deep.equal([{ message: 'Required.', isWhole: true }]);
    expect(form.elements.get('items')?.publishFindings.peek()[0]).to.have.property('isWhole', false);
    const deep = findings.open[3]?.elements.at(-1);
    expect(deep?.publishFindings.peek()).to.deep.equal([{ message: 'Deep.', isWhole: true }]);
    expect(findings.open[3]?.components.map(({ id }) => id)).to.deep.equal(['second', 'deep']);
    title?.set('There');
    deep?.set('There');
    // A key in a component changes nothing of the text around it.
    expect(open()).to.deep.equal([['meta__keywords'], ['items'], ['body']]);
    form.elements.get('body')?.set('<p>b</p>');
    expect(open()).to.deep.equal([['meta__keywords'], ['items']]);
  });

  it('are gone where the form is made anew', () => {
    findings.take([violation('title')], []);
    findings.follow(new ItemForm(model, page, { variant, etag: '1' }, {} as VariantServer));
    expect(open()).to.deep.equal([]);
  });

  it('name broken links where they are, and are replaced by those of the next plan', () => {
    findings.take([], [dangling(), dangling('other')]);
    expect(open()).to.deep.equal([['items'], ['body', 'inner']]);
    expect(form.elements.get('items')?.publishFindings.peek()).to.deep.equal([
      { dangling: 'unpublished', to: 'Linked' },
    ]);
    findings.take([violation('title')], []);
    expect(open()).to.deep.equal([['title']]);
    findings.take([], []);
    expect(open()).to.deep.equal([]);
  });

  it('are not of the form where they are about something else', () => {
    expect(findings.elementOf(violation('title'))?.name).to.equal('Name of title');
    expect(findings.elementOf(dangling())?.name).to.equal('Name of items');
    expect(findings.elementOf({ path: 'objects[1].elements.title', message: '' })).to.equal(undefined);
    expect(findings.elementOf({ path: 'elements.title', message: '' })).to.equal(undefined);
    expect(findings.elementOf({ message: '' })).to.equal(undefined);
    expect(findings.elementOf(violation('gone'))).to.equal(undefined);
    expect(findings.elementOf(dangling('other'))).to.equal(undefined);
  });
});

describe('length of a text with a limit', () => {
  it('counts an emoji as one character', () => {
    const definition: ValueDefinition = {
      ...base('title'),
      type: 'text',
      maximum_text_length: { value: 3, applies_to: 'characters' },
    };
    for (const value of ['', 'abc', '😀a😀', '\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00\ude00'])
      expect(lengthOf(definition, value)?.count, value).to.equal([...value].length);
  });
});
