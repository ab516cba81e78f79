/** The time of reading a JSON body is linear: elements, references, operations, tokens. */
import { expect } from 'chai';
import { replaceFolders } from '../../core/assets/folders.ts';
import { createItem } from '../../core/content/items.ts';
import { createTaxonomy, findTaxonomy } from '../../core/content/taxonomies.ts';
import { createType, findType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { Call } from '../../core/management/call.ts';
import { pageStart } from '../../core/management/paging.ts';
import { elementsOf } from '../../core/management/v1/variant-json.ts';
import { applyAll, readOperations } from '../../core/management/v2/patch.ts';
import { DefinitionDraft } from '../../core/management/v2/patch-definition.ts';
import { FolderDraft } from '../../core/management/v2/patch-folders.ts';
import { TaxonomyDraft } from '../../core/management/v2/patch-taxonomy.ts';
import { hasAllTests } from '../support/long-form.ts';
import { growthOf, isLinear, MOST_PER_DOUBLING } from '../support/measure/time-per-doubling.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const many = <T>(count: number, one: (at: number) => T) => Array.from({ length: count }, (_, at) => one(at));
const id = (at: number) => `11111111-1111-4111-8111-${String(at).padStart(12, '0')}`;
const set = (codename: string, value: unknown) => ({ element: { codename }, value });

describe(`the time a body takes grows with it (at most ${MOST_PER_DOUBLING} times for twice the size)`, () => {
  let bench: Workbench;
  before(async () => {
    bench = await openWorkbench();
    await bench.run(async (transaction) => {
      await createTaxonomy(transaction, { name: 'T', terms: many(500, (at) => ({ name: `term${at}` })) });
      await createType(transaction, {
        name: 'Story',
        elements: [
          { type: 'rich_text', name: 'Body' },
          { type: 'modular_content', name: 'Links' },
          { type: 'taxonomy', name: 'Tags', taxonomy_group: { codename: 't' } },
          {
            type: 'multiple_choice',
            name: 'C',
            mode: 'multiple',
            options: many(250, (at) => ({ name: `o${at}` })),
          },
          ...many(500, (at) => ({ type: 'text' as const, name: `e${at}` })),
        ],
      });
      await createItem(transaction, { name: 'one', codename: 'one', type: { codename: 'story' } });
    });
    // Bodies below are refused for their content, not for their size.
    await write([set('e499', 'x')]);
  });
  after(() => bench.close());

  function isLinearIn<Input>(
    what: string,
    size: number,
    inputOf: (size: number) => Input,
    work: (input: Input) => unknown,
  ): void {
    it(what, async () => {
      const growth = await growthOf(inputOf, work, size);
      const { half, whole } = growth;
      expect(isLinear(growth), `${half.toFixed(2)} ms become ${whole.toFixed(2)}`).to.equal(true);
    });
  }

  const write = (elements: readonly unknown[]) =>
    bench.run((transaction) =>
      upsertVariant(transaction, { codename: 'one' }, { codename: 'en' }, { elements: elements as [] }),
    );
  const lists = (element: string, entry: (at: number) => unknown) => (size: number) => [
    set(element, many(size, entry)),
  ];
  const bodies: Readonly<Record<string, (size: number) => unknown[]>> = {
    'elements that the type does not have': (size) => many(size, (at) => set(`x${at}`, '')),
    'a repeated element': (size) => many(size, () => set('e499', 'x')),
    'references to missing items': lists('links', (at) => ({ id: id(at) })),
    // In the short form those by id stand for them.
    ...(hasAllTests && { 'references by codename': lists('links', (at) => ({ codename: `c${at}` })) }),
    'the same reference': lists('links', () => ({ codename: 'one' })),
    'references of no form': lists('links', () => 1),
    'a repeated term': lists('tags', () => ({ codename: 'term499' })),
    'a repeated option': lists('c', () => ({ codename: 'o249' })),
    'components that are not in the text': (size) => [
      {
        ...set('body', '<p>x</p>'),
        components: many(size, (at) => ({ id: id(at), type: { codename: 'story' } })),
      },
    ],
  };
  for (const [what, bodyOf] of Object.entries(bodies)) isLinearIn(what, 60_000, bodyOf, write);

  isLinearIn(
    'elements of version 1, and the places of findings in them',
    60_000,
    (size) => Object.fromEntries(many(size, (at) => [`x${at}`, 1])),
    (elements) => {
      const { elements: read, pathOf } = elementsOf({ elements });
      for (const index of read.keys()) pathOf(`elements[${index}].value`);
    },
  );

  const operations: Readonly<Record<string, (at: number) => object>> = {
    'operations on a term': (at) => ({
      op: 'replace',
      reference: { codename: 'term499' },
      property_name: 'name',
      value: `n${at}`,
    }),
    'operations that name no term': () => ({ op: 'remove', reference: { codename: 'x' } }),
    'terms that are added': (at) => ({ op: 'addInto', value: { name: `n${at}` } }),
  };
  for (const [what, one] of Object.entries(operations))
    isLinearIn(
      what,
      5000,
      (size) => many(size, one),
      (body) =>
        bench.run(async (transaction) => {
          const draft = new TaxonomyDraft(findTaxonomy(transaction, { codename: 't' }));
          await applyAll(readOperations(body), (operation) => draft.apply(operation));
          draft.finished();
        }),
    );

  const changes: Readonly<Record<string, (at: number) => object>> = {
    'operations on an element': (at) => ({
      op: 'replace',
      path: '/elements/codename:e499/name',
      value: `n${at}`,
    }),
    'operations that name no element': () => ({ op: 'remove', path: '/elements/codename:x' }),
    'elements that are added': (at) => ({
      op: 'addInto',
      path: '/elements',
      value: { type: 'text', name: `n${at}` },
    }),
    'options that are added': (at) => ({
      op: 'addInto',
      path: '/elements/codename:c/options',
      value: { name: `n${at}` },
    }),
  };
  for (const [what, one] of Object.entries(changes))
    isLinearIn(
      what,
      5000,
      (size) => many(size, one),
      (body) =>
        bench.run(async (transaction) => {
          const draft = new DefinitionDraft(findType(transaction, { codename: 'story' }), transaction.model);
          await applyAll(readOperations(body), (operation) => draft.apply(operation));
          draft.finished();
        }),
    );

  const folders: Readonly<Record<string, (at: number) => object>> = {
    'folders that are added': (at) => ({ op: 'addInto', value: { name: `n${at}` } }),
    'operations on a folder': (at) => ({
      op: 'rename',
      reference: { external_id: 'f499' },
      value: `n${at}`,
    }),
  };
  for (const [what, one] of Object.entries(folders))
    isLinearIn(
      what,
      4000,
      (size) => many(size, one),
      (body) =>
        bench.run(async (transaction) => {
          const before = many(500, (at) => ({ name: 'F', external_id: `f${at}` }));
          const draft = new FolderDraft((await replaceFolders(transaction, before)).folders);
          await applyAll(readOperations(body), (operation) => draft.apply(transaction, operation));
          await replaceFolders(transaction, draft.folders);
          throw new Error('Nothing of it stays.');
        }),
    );

  for (const unit of ['|', '0', 'MHwx', '=', 'MXw'])
    isLinearIn(
      `continuation tokens of ${unit}`,
      32_768,
      (size) => unit.repeat(size / unit.length),
      (continuation) =>
        pageStart({ continuation, operations: { storage: { epoch: 'MQ' } } } as unknown as Call, 'items'),
    );
});
