/**
 * How the console edits the content model: the operations that it sends make exactly the type that the form shows, and content
 * keeps its values. A failure prints its seed; HEADWATER_TEST_SEED=<seed> runs that case alone.
 */

import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { createSnippet, updateSnippet } from '../../core/content/snippets.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { createType, findType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { ServiceError } from '../../core/errors.ts';
import { modelPatches } from '../../core/management/v2/model-patches.ts';
import { toTypeJson } from '../../core/management/v2/type-json.ts';
import {
  codenameOf,
  type Definition,
  type Element,
  elementsIn,
  isNew,
  KINDS,
  type Kind,
  moved,
  type Named,
  newId,
} from '../../plugins/console/app/screens/model/definition.ts';
import {
  definitionInput,
  definitionPatch,
} from '../../plugins/console/app/screens/model/definition-patch.ts';
import { History } from '../../plugins/console/app/screens/model/history.ts';
import {
  movedNode,
  rebasedTree,
  type Tree,
  type TreeNode,
} from '../../plugins/console/app/screens/model/tree.ts';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const CASES = isLongForm ? 500 : 30;
const EDITS = 12;

describe('the content model in the console', () => {
  let bench: Workbench;
  let group = '';
  let snippets: readonly string[] = [];
  before(async () => {
    bench = await openWorkbench();
    await bench.run(async (transaction) => {
      group = (await createTaxonomy(transaction, { name: 'Topics', terms: [{ name: 'North' }] })).id;
      const made = [];
      for (const name of ['Meta', 'Teaser'])
        made.push(
          await createSnippet(transaction, { name, elements: [{ type: 'text', name: 'Description' }] }),
        );
      snippets = made.map(({ id }) => id);
    });
  });
  after(() => bench.close());

  /** A new element that the service accepts in this definition. */
  function newElement(random: Random, { elements, content_groups = [] }: Definition): Element | undefined {
    const type: Kind = random.pick(KINDS);
    const id = newId();
    const texts = elements.filter((one) => one.type === 'text');
    const snippet = snippets.find((one) => !elements.some((element) => element.snippet?.id === one));
    if ((type === 'snippet' && !snippet) || (type === 'url_slug' && texts.length === 0)) return undefined;
    const taken = elements.map(({ codename }) => codename);
    return {
      id,
      type,
      codename: codenameOf(`${type} ${random.int(0, 99)}`, taken),
      ...(type !== 'guidelines' && type !== 'snippet' && { name: `${type} ${random.int(0, 99)}` }),
      ...(type === 'guidelines' && { guidelines: 'Read this' }),
      ...(content_groups.length > 0 &&
        random.chance(0.5) && { content_group: { id: random.pick(content_groups).id } }),
      ...(type === 'snippet' && { snippet: { id: snippet! } }),
      ...(type === 'taxonomy' && { taxonomy_group: { id: group } }),
      ...(type === 'url_slug' && { depends_on: { element: { id: random.pick(texts).id } } }),
      ...(type === 'custom' && {
        source_url: 'https://example.com/x',
        allowed_elements: random
          .some(
            elements.filter((one) => one.type !== 'snippet' && one.type !== 'guidelines'),
            2,
          )
          .map((one) => ({ id: one.id })),
      }),
      ...(type === 'multiple_choice' && {
        mode: 'single' as const,
        options: random.times(1, 4, (at) => ({
          id: newId(),
          name: `Option ${at}`,
          codename: `option_${at}`,
        })),
      }),
    };
  }

  const named = <T extends { readonly codename: string }>(random: Random, one: T, all: readonly T[]): T => {
    const name = `Renamed ${random.int(0, 999)}`;
    const taken = all.filter((other) => other !== one).map(({ codename }) => codename);
    return { ...one, name, ...(random.chance(0.5) && { codename: codenameOf(name, taken) }) };
  };
  const replaced = <T>(all: readonly T[], one: T, by: T): T[] =>
    all.map((other) => (other === one ? by : other));
  const reordered = <T extends { readonly id: string }>(random: Random, all: readonly T[]): readonly T[] =>
    all.length < 2
      ? all
      : moved(all, random.pick(all).id, random.chance(0.2) ? undefined : random.pick(all).id);

  function editedElement(random: Random, element: Element): Element {
    const count = {
      value: random.int(0, 9),
      condition: random.pick(['at_most', 'exactly', 'at_least'] as const),
    };
    switch (element.type) {
      case 'text':
        return {
          ...element,
          maximum_text_length: random.chance(0.3) ? null : { value: random.int(1, 99), applies_to: 'words' },
        };
      case 'asset':
        return {
          ...element,
          asset_count_limit: count,
          allowed_file_types: 'adjustable',
          maximum_file_size: 1000,
        };
      case 'rich_text':
        return {
          ...element,
          image_width_limit: count,
          allowed_image_types: random.pick(['any', 'adjustable']),
        };
      case 'modular_content':
        return { ...element, item_count_limit: random.chance(0.5) ? count : null };
      case 'taxonomy':
        return { ...element, term_count_limit: count };
      case 'multiple_choice': {
        const options: readonly Named[] = element.options ?? [];
        const option = {
          id: newId(),
          name: 'More',
          codename: codenameOf(
            'More',
            options.map(({ codename }) => codename),
          ),
        };
        return {
          ...element,
          mode: random.pick(['single', 'multiple']),
          options: random.pick([
            [...options, option],
            reordered(random, options),
            options.length > 1 ? options.slice(1) : options,
            replaced(options, options[0]!, named(random, options[0]!, options)),
          ]),
        };
      }
      case 'snippet':
        return element;
      default:
        return { ...element, guidelines: `Hint ${random.int(0, 9)}` };
    }
  }

  /** One edit as the form makes it; what others depend on is not removed. */
  function edited(random: Random, definition: Definition): Definition {
    const { elements, content_groups: groups = [] } = definition;
    const set = (next: readonly Element[]) => ({ ...definition, elements: next });
    const some = elements.length > 0 ? random.pick(elements) : undefined;
    switch (random.int(0, 8)) {
      case 0: {
        const added = newElement(random, definition);
        return added ? set(moved([...elements, added], added.id, some?.id)) : definition;
      }
      case 1: {
        const isUsed = elements.some(
          (other) =>
            other.depends_on?.element.id === some?.id ||
            other.allowed_elements?.some(({ id }) => id === some?.id),
        );
        return isUsed ? definition : set(elements.filter((one) => one !== some));
      }
      case 2:
        return set(reordered(random, elements));
      case 3:
        return some?.name === undefined
          ? definition
          : set(replaced(elements, some, named(random, some, elements)));
      case 4:
        return some ? set(replaced(elements, some, editedElement(random, some))) : definition;
      case 5: {
        const name = `Group ${random.int(0, 99)}`;
        const added = {
          id: newId(),
          name,
          codename: codenameOf(
            name,
            groups.map(({ codename }) => codename),
          ),
        };
        return { ...definition, content_groups: [...groups, added] };
      }
      case 6: {
        const gone = groups.length > 0 ? random.pick(groups) : undefined;
        const left = elements.map((element) => {
          if (!gone || element.content_group?.id !== gone.id) return element;
          const { content_group: _gone, ...rest } = element;
          return rest;
        });
        return { ...definition, content_groups: groups.filter((one) => one !== gone), elements: left };
      }
      case 7:
        return { ...definition, content_groups: reordered(random, groups) };
      default:
        return some && groups.length > 0
          ? set(replaced(elements, some, { ...some, content_group: { id: random.pick(groups).id } }))
          : { ...definition, name: `${definition.name} ${random.int(0, 9)}` };
    }
  }

  /** Without ids, which the service gives new parts, and without what is the same as nothing to it. */
  function shapeOf(definition: Definition): unknown {
    const { content_groups: groups = [], elements } = definition;
    const codenames = new Map([...groups, ...elements].map(({ id, codename }) => [id, codename]));
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.length > 0 ? value.map(shape) : undefined;
      if (typeof value !== 'object' || value === null) return value;
      const { id, last_modified: _time, ...rest } = value as Readonly<Record<string, unknown>>;
      if (Object.keys(rest).length === 0) return codenames.get(id as string) ?? id;
      return Object.fromEntries(
        Object.entries(rest).flatMap(([name, inner]) => {
          const shown = shape(inner) ?? undefined;
          return shown === undefined || shown === 'any' || shown === false ? [] : [[name, shown]];
        }),
      );
    };
    return shape(definition);
  }

  const patched = (id: string, operations: readonly unknown[]): Promise<Definition> =>
    bench.run(async (transaction) => {
      await modelPatches.apply(transaction, 'type', id, operations).catch((error: ServiceError) => {
        error.message += JSON.stringify([error.validationErrors, operations]);
        throw error;
      });
      return toTypeJson(findType(transaction, { id })) as unknown as Definition;
    });

  it('makes the type that the form shows, by any edits', async () => {
    for (const seed of testSeeds(CASES)) {
      const random = new Random(seed);
      let draft: Definition = {
        id: newId(),
        name: `Type ${seed}`,
        codename: `type_${seed}`,
        content_groups: [],
        elements: [],
      };
      for (let edit = 0; edit < EDITS; edit++) draft = edited(random, draft);
      let saved = (await bench.run(async (transaction) =>
        toTypeJson(await createType(transaction, definitionInput(draft) as never)),
      )) as unknown as Definition;
      expect(shapeOf(saved), `seed ${seed}, new`).to.deep.equal(shapeOf(draft));
      for (const round of [1, 2]) {
        draft = saved;
        for (let edit = 0; edit < EDITS; edit++) draft = edited(random, draft);
        const operations = definitionPatch(saved, draft);
        const next = await patched(saved.id, operations);
        const at = `seed ${seed}, round ${round}, ${JSON.stringify(operations)}`;
        expect(shapeOf(next), at).to.deep.equal(shapeOf(draft));
        // What was there keeps its id, and so its values.
        for (const element of draft.elements)
          if (!isNew(element))
            expect(
              next.elements.some(({ id }) => id === element.id),
              at,
            ).to.equal(true);
        expect(definitionPatch(next, next)).to.deep.equal([]);
        saved = next;
      }
    }
  });

  it('moves elements, groups and options without losing values, and sends no more than the moves', async () => {
    const type = await bench.run(async (transaction) => {
      const made = await createType(transaction, {
        name: 'Moved',
        content_groups: [{ name: 'One' }, { name: 'Two' }],
        elements: [
          { type: 'text', name: 'First', content_group: { codename: 'one' } },
          { type: 'number', name: 'Second', content_group: { codename: 'one' } },
          {
            type: 'multiple_choice',
            name: 'Third',
            mode: 'single',
            options: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
          },
        ],
      });
      await createItem(transaction, { name: 'Moved item', codename: 'moved_item', type: { id: made.id } });
      await upsertVariant(
        transaction,
        { codename: 'moved_item' },
        { codename: 'en' },
        {
          elements: [
            { element: { codename: 'first' }, value: 'text' },
            { element: { codename: 'third' }, value: [{ codename: 'c' }] },
          ],
        },
      );
      return toTypeJson(made) as unknown as Definition;
    });
    const [first, , third] = type.elements;
    const draft: Definition = {
      ...type,
      content_groups: [...type.content_groups!].reverse(),
      elements: moved(
        type.elements.map((element) =>
          element === third
            ? {
                ...element,
                options: moved(element.options!, element.options![2]!.id, element.options![0]!.id),
              }
            : element,
        ),
        first!.id,
        undefined,
      ),
    };
    const operations = definitionPatch(type, draft);
    expect(operations.map(({ op }) => op)).to.deep.equal(['move', 'move', 'move']);
    const next = await patched(type.id, operations);
    expect(next.elements.map(({ id }) => id)).to.deep.equal(draft.elements.map(({ id }) => id));
    const version = await bench.sql.get<{ elements: string }>(
      `SELECT v.elements AS elements FROM version v JOIN variant a ON a.number = v.variant JOIN item i ON i.number = a.item
       WHERE i.codename = 'moved_item'`,
    );
    expect(JSON.parse(version!.elements)).to.deep.equal({
      [first!.id]: 'text',
      [third!.id]: [third!.options![2]!.id],
    });
  });

  it('adds its changes to those that someone else saved meanwhile', async () => {
    const type = (await bench.run(async (transaction) =>
      toTypeJson(
        await createType(transaction, {
          name: 'Shared',
          elements: [
            { type: 'text', name: 'A' },
            { type: 'text', name: 'B' },
            { type: 'text', name: 'C' },
          ],
        }),
      ),
    )) as unknown as Definition;
    const [a, b, c] = type.elements;
    const mine = { ...type, elements: [c!, { ...a!, name: 'Mine' }, b!] };
    const theirs = {
      ...type,
      elements: [
        a!,
        { ...b!, is_required: true },
        { id: newId(), type: 'number' as const, name: 'New', codename: 'new' },
        c!,
      ],
    };
    await patched(type.id, definitionPatch(type, theirs));
    const both = await patched(type.id, definitionPatch(type, mine));
    expect(both.elements.map(({ name }) => name)).to.deep.equal(['C', 'Mine', 'B', 'New']);
    expect(both.elements[2]).to.include({ is_required: true });
  });

  it('shows elements without a group, or of one that is gone, in the first tab', () => {
    const groups = [
      { id: 'x', name: 'X', codename: 'x' },
      { id: 'y', name: 'Y', codename: 'y' },
    ];
    const element = (id: string, of?: string): Element => ({
      id,
      type: 'text',
      name: id,
      codename: id,
      ...(of && { content_group: { id: of } }),
    });
    const definition = {
      id: 'd',
      name: '',
      codename: '',
      content_groups: groups,
      elements: [element('a'), element('b', 'y'), element('c', 'gone')],
    };
    expect(elementsIn(definition, 'x').map(({ id }) => id)).to.deep.equal(['a', 'c']);
    expect(elementsIn(definition, 'y').map(({ id }) => id)).to.deep.equal(['b']);
    expect(elementsIn({ ...definition, content_groups: [] }, undefined)).to.have.length(3);
  });

  it('makes codenames as the service does, and others where they are taken', async () => {
    for (const name of ['On Roasts!', '2nd', 'Über', 'x'.repeat(50)]) {
      const snippet = await bench.run(async (transaction) => {
        const made = await createSnippet(transaction, { name: `${name}`, elements: [] });
        return updateSnippet(transaction, { id: made.id }, {});
      });
      expect(codenameOf(name, [])).to.equal(snippet.codename);
    }
    expect(codenameOf('Title', ['title', 'title_2'])).to.equal('title_3');
    expect(codenameOf('x'.repeat(80), ['x'.repeat(60)])).to.have.length(60);
  });

  it('gives new members ids of no other one, also where an edit of a closed page is taken over', async () => {
    const module = '../../plugins/console/app/screens/model/definition.ts';
    const pages = await Promise.all([1, 2].map((page) => import(`${module}?page=${page}`)));
    const ids = pages.flatMap((page) => [page.newId(), page.newId()]);
    expect(pages[0]).not.to.equal(pages[1]);
    expect(new Set(ids).size).to.equal(4);
    expect(ids.every((id) => isNew({ id }))).to.equal(true);
  });

  it('undoes typing in one field at once, and redoes it', () => {
    const history = new History('');
    for (const text of ['T', 'Ti', 'Tit']) history.edit(text, 'name');
    history.edit('Tit, body', 'body');
    history.undo();
    expect(history.value.value).to.equal('Tit');
    history.undo();
    expect(history.value.value).to.equal('');
    expect(history.canUndo).to.equal(false);
    history.redo();
    history.redo();
    expect(history.value.value).to.equal('Tit, body');
    history.undo();
    history.edit('other');
    expect(history.canRedo).to.equal(false);
  });
});

describe('a tree in the console', () => {
  const node = (id: string, ...nodes: TreeNode[]): TreeNode => ({ id, name: id, codename: id, nodes });
  const tree = (...nodes: TreeNode[]): Tree => ({ id: 't', name: 'T', codename: 't', nodes });
  const shape = (nodes: readonly TreeNode[]): string =>
    nodes.map(({ name, nodes: below }) => `${name}${below.length > 0 ? `(${shape(below)})` : ''}`).join(' ');

  it('moves nodes beside and below others, but not into themselves', () => {
    const { nodes } = tree(node('a', node('b')), node('c'));
    expect(shape(movedNode(nodes, 'c', 'before', 'a'))).to.equal('c a(b)');
    expect(shape(movedNode(nodes, 'c', 'under', 'b'))).to.equal('a(b(c))');
    expect(shape(movedNode(nodes, 'b', 'after', 'c'))).to.equal('a c b');
    expect(movedNode(nodes, 'a', 'under', 'b')).to.equal(nodes);
    expect(movedNode(nodes, 'a', 'after', 'a')).to.equal(nodes);
  });

  it('puts what one person made on top of what another one made', () => {
    const before = tree(node('a', node('b'), node('c')), node('d'));
    const mine = tree(node('d'), node('a', node('c', node('new:1')), { ...node('b'), name: 'B' }));
    const theirs = {
      ...tree(node('a', node('b'), node('x'), node('c')), node('y'), node('d')),
      name: 'Theirs',
    };
    const both = rebasedTree(before, mine, theirs);
    expect(both.name).to.equal('Theirs');
    expect(shape(both.nodes)).to.equal('d a(c(new:1) B x) y');
    expect(rebasedTree(before, before, theirs)).to.deep.equal(theirs);
    const removed = rebasedTree(before, tree(node('d')), theirs);
    expect(shape(removed.nodes)).to.equal('y d');
    // What the other person removed is not put back; what is new below it comes to the top.
    expect(shape(rebasedTree(before, mine, tree(node('d'))).nodes)).to.equal('new:1 d');
  });

  it('gives the own tree where no one else changed it, by any edits', () => {
    for (const seed of testSeeds(200)) {
      const random = new Random(seed);
      let nodes: readonly TreeNode[] = random.times(1, 8, (at) => node(`n${at}`));
      const all = nodes.map(({ id }) => id);
      for (let edit = 0; edit < 8; edit++)
        nodes = movedNode(
          nodes,
          random.pick(all),
          random.pick(['before', 'after', 'under']),
          random.pick(all),
        );
      let mine = nodes;
      for (let edit = 0; edit < 8; edit++)
        mine = movedNode(mine, random.pick(all), random.pick(['before', 'after', 'under']), random.pick(all));
      const rebased = rebasedTree(tree(...nodes), tree(...mine), tree(...nodes));
      expect(shape(rebased.nodes), `seed ${seed}: ${shape(nodes)}`).to.equal(shape(mine));
    }
  });
});
