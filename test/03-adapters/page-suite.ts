/** Listings: a plan must give the same page in every adapter, in one statement and step by step. */
import { expect } from 'chai';
import { COMPILED_COLUMNS } from '../../core/storage/compiled-rows.ts';
import type {
  Condition,
  KeyTest,
  Order,
  PagePlan,
  PageResult,
  SlotCondition,
  StoredDocument,
} from '../../core/storage/page-plan.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { BOOK, EN, fill, NOTE, PROJECT, plan, SLOT, VIEW } from './compiled-fixture.ts';

export function pageSuite(current: () => Storage): void {
  describe('pages', () => {
    let storage: Storage;

    beforeEach(async () => {
      storage = current();
      await fill(storage);
    });

    it('lists by codename, and backwards', async () => {
      expect(await codenames(plan({}))).to.deep.equal(['ada', 'bob', 'cyd', 'dan', 'eve']);
      expect(await codenames(plan({ order: { by: 'codename', descending: true } }))).to.deep.equal([
        'eve',
        'dan',
        'cyd',
        'bob',
        'ada',
      ]);
    });

    it('reads a page and whether there is a next one', async () => {
      const first = await storage.page(plan({ limit: 2 }));
      expect([first.more, await named(first)]).to.deep.equal([true, ['ada', 'bob']]);
      const last = await storage.page(plan({ skip: 3, limit: 2 }));
      expect([last.more, await named(last)]).to.deep.equal([false, ['dan', 'eve']]);
      const beyond = await storage.page(plan({ skip: 9, limit: 2, total: true }));
      expect([beyond.more, await named(beyond), beyond.total]).to.deep.equal([false, [], 5]);
    });

    it('counts all matches only where the plan requires it', async () => {
      expect((await storage.page(plan({ limit: 1 }))).total).to.equal(null);
      expect((await storage.page(plan({ limit: 1, total: true }))).total).to.equal(5);
      const filtered = plan({
        limit: 1,
        total: true,
        conditions: [slots(oneOf('=red', '=blue'))],
        types: [BOOK],
      });
      expect((await storage.page(filtered)).total).to.equal(3);
    });

    it('limits a listing to types', async () => {
      expect(await codenames(plan({ types: [NOTE] }))).to.deep.equal(['dan', 'eve']);
      expect(await codenames(plan({ types: [BOOK, NOTE], total: true }))).to.have.length(5);
      expect(await codenames(plan({ types: [] }))).to.deep.equal([]);
    });

    const tests: readonly (readonly [string, Condition, readonly string[]])[] = [
      ['one of a key', slots(oneOf('=red')), ['ada', 'bob']],
      ['one of several keys, a document once', slots(oneOf('=red', '=blue', '=none')), ['ada', 'bob', 'cyd']],
      ['none of the keys', slots({ kind: 'none-of', keys: ['=red'] }), ['cyd', 'dan', 'eve']],
      ['an inclusive range', slots(range('=blue', '=red', true)), ['ada', 'bob', 'cyd']],
      ['an exclusive range', slots(range('=blue', '=red', false)), []],
      [
        'an open range, which empty values are not in',
        slots({ kind: 'range', to: { key: '=m', inclusive: true } }),
        ['cyd'],
      ],
      ['empty', { on: 'empty', slots: [SLOT.color], empty: true }, ['dan', 'eve']],
      ['not empty', { on: 'empty', slots: [SLOT.color], empty: false }, ['ada', 'bob', 'cyd']],
      ['a codename', { on: 'codename', test: oneOf('=bob', '=eve') }, ['bob', 'eve']],
      ['a codename range', { on: 'codename', test: range('=b', '=d', true) }, ['bob', 'cyd']],
      ['an id', { on: 'id', test: oneOf('=id-3') }, ['cyd']],
      ['one member of an array', { on: 'slots', slots: [SLOT.tags], test: oneOf('=x') }, ['ada', 'cyd']],
    ];
    for (const [title, condition, expected] of tests) {
      it(`filters by ${title}`, async () => {
        expect(await codenames(plan({ conditions: [condition] }))).to.deep.equal(expected);
        const backwards = plan({ conditions: [condition], order: { by: 'codename', descending: true } });
        expect(await codenames(backwards)).to.deep.equal([...expected].reverse());
      });
    }

    for (const everywhere of [false, true])
      it(`takes the empty form of rich text for empty in rich text alone, ${everywhere ? 'seeking it' : 'one by one'}`, async () => {
        await storage.write((tx) =>
          tx.insert(
            'entry',
            ['document', 'slot', 'key', 'codename', 'visible', 'item'],
            [
              [4, SLOT.color, '=<p><br></p>', 'dan', 3, 4],
              [5, SLOT.color, '!', 'eve', 3, 5],
            ],
          ),
        );
        const empty = { on: 'empty', slots: [SLOT.color], empty: true, everywhere } as const;
        expect(await codenames(plan({ conditions: [empty], limit: 5 }))).to.deep.equal(['eve']);
        const inRichText = { ...empty, isRichText: true };
        expect(await codenames(plan({ conditions: [inRichText], limit: 5 }))).to.deep.equal(['dan', 'eve']);
      });

    it('skips a document once, even if it meets a condition several times', async () => {
      const twice: Condition = { on: 'slots', slots: [SLOT.tags], test: oneOf('=x', '=y') };
      expect(await codenames(plan({ conditions: [twice], skip: 1 }))).to.deep.equal(['bob', 'cyd']);
      expect(await codenames(plan({ conditions: [twice], skip: 1, limit: 1 }))).to.deep.equal(['bob']);
    });

    it('requires all conditions', async () => {
      const both: Condition[] = [
        { on: 'slots', slots: [SLOT.tags], test: oneOf('=x') },
        { on: 'slots', slots: [SLOT.tags], test: oneOf('=y') },
      ];
      expect(await codenames(plan({ conditions: both }))).to.deep.equal(['ada']);
    });

    const orders: readonly (readonly [string, Order, readonly string[]])[] = [
      ['values, ties by codename, missing ones last', byColor(false), ['cyd', 'ada', 'bob', 'dan', 'eve']],
      [
        'values backwards, ties and missing ones as before',
        byColor(true),
        ['ada', 'bob', 'cyd', 'dan', 'eve'],
      ],
      ['id', { by: 'id', descending: true }, ['eve', 'dan', 'cyd', 'bob', 'ada']],
      [
        'type, ties by codename',
        { by: 'type', descending: true, types: [BOOK, NOTE] },
        ['dan', 'eve', 'ada', 'bob', 'cyd'],
      ],
      [
        'language, ties by codename',
        { by: 'language', descending: false },
        ['ada', 'bob', 'cyd', 'dan', 'eve'],
      ],
    ];
    for (const [title, order, expected] of orders) {
      it(`orders by ${title}`, async () => {
        expect(await codenames(plan({ order }))).to.deep.equal(expected);
        for (let skip = 0; skip < 5; skip += 1) {
          expect(await codenames(plan({ order, skip, limit: 2 }))).to.deep.equal(
            expected.slice(skip, skip + 2),
          );
        }
      });
    }

    // Of few items, the rows of all types are sorted; of many, the first rows of each type are merged.
    for (const count of [5, 1000])
      it(`orders by an element of several types, of ${count} items`, async () => {
        await storage.write(async (tx) => {
          for (const [item, key, codename] of [
            [4, '=green', 'dan'],
            [5, '!', 'eve'],
          ] as const)
            await tx.run(
              'INSERT INTO entry (document, slot, key, codename, visible, item) VALUES (?, ?, ?, ?, 1, ?)',
              [item, NOTE_COLOR, key, codename, item],
            );
          await tx.run('UPDATE tally SET count = ?', [count]);
        });
        const order = (descending: boolean): Order => ({
          by: 'slots',
          slots: [SLOT.color, NOTE_COLOR],
          lacking: [],
          descending,
        });
        const notBlue: Condition = {
          on: 'slots',
          slots: [SLOT.color],
          test: { kind: 'none-of', keys: ['=blue'] },
        };
        for (const [part, expected] of [
          [{ order: order(false) }, ['cyd', 'dan', 'ada', 'bob', 'eve']],
          [{ order: order(true) }, ['ada', 'bob', 'dan', 'cyd', 'eve']],
          [{ order: order(false), conditions: [notBlue] }, ['dan', 'ada', 'bob', 'eve']],
        ] as const) {
          expect(await codenames(plan(part))).to.deep.equal(expected);
          for (let skip = 0; skip < 5; skip += 1)
            expect(await codenames(plan({ ...part, skip, limit: 1 }))).to.deep.equal(
              expected.slice(skip, skip + 1),
            );
        }
      });

    for (const count of [5, 100_000])
      it(`orders by an attribute within a condition on it, of ${count} items`, async () => {
        await storage.write((tx) => tx.run('UPDATE tally SET count = ?', [count]));
        const id = (descending: boolean): Order => ({ by: 'id', descending });
        const codename = (descending: boolean): Order => ({ by: 'codename', descending });
        const onId = (test: KeyTest): Condition => ({ on: 'id', test });
        const onCodename = (test: KeyTest): Condition => ({ on: 'codename', test });
        const onColor = (test: KeyTest): Condition => ({ on: 'slots', slots: [SLOT.color], test });
        const listings: readonly (readonly [Order, Condition, readonly string[]])[] = [
          [id(false), onId(range('=id-2', '=id-4', true)), ['bob', 'cyd', 'dan']],
          [id(true), onId(range('=id-2', '=id-4', false)), ['cyd']],
          [id(true), onId({ kind: 'range', to: { key: '=id-2', inclusive: true } }), ['bob', 'ada']],
          [codename(false), onCodename(range('=bob', '=dan', true)), ['bob', 'cyd', 'dan']],
          [codename(true), onCodename({ kind: 'range', to: { key: '=c', inclusive: true } }), ['bob', 'ada']],
          [byColor(false), onColor(range('=blue', '=red', true)), ['cyd', 'ada', 'bob']],
          [byColor(true), onColor(range('=blue', '=red', true)), ['ada', 'bob', 'cyd']],
          [byColor(true), onColor({ kind: 'range' }), ['ada', 'bob', 'cyd']],
          [byColor(false), onColor(range('=blue', '=red', false)), []],
          [byColor(false), onColor(oneOf('=red')), ['ada', 'bob']],
        ];
        for (const [order, condition, expected] of listings) {
          const title = JSON.stringify({ order, condition });
          const read = (part: Partial<PagePlan>) =>
            codenames(plan({ order, conditions: [condition], ...part }));
          expect(await read({}), title).to.deep.equal(expected);
          for (let skip = 0; skip < 4; skip += 1)
            expect(await read({ skip, limit: 1 }), title).to.deep.equal(expected.slice(skip, skip + 1));
          const tagged: Condition = { on: 'slots', slots: [SLOT.tags], test: oneOf('=x') };
          expect(await read({ conditions: [condition, tagged], limit: 5 }), title).to.deep.equal(
            expected.filter((codename) => codename === 'ada' || codename === 'cyd'),
          );
        }
      });

    it('orders by type with more conditions than the statement can repeat for each type', async () => {
      await storage.write((tx) => tx.run('UPDATE tally SET count = 1000'));
      const numbers = (count: number) => Array.from({ length: count }, (_, index) => 1000 + index);
      const red: SlotCondition = {
        on: 'slots',
        slots: [SLOT.color, ...numbers(63)],
        test: oneOf('=red', ...numbers(63).map((number) => `=${number}`)),
      };
      const conditions = numbers(24).map((): Condition => ({ on: 'either', of: [red, red] }));
      const types = [BOOK, NOTE, ...numbers(8)];
      const order: Order = { by: 'type', descending: true, types };
      expect(await codenames(plan({ types, order, conditions, limit: 5 }))).to.deep.equal(['ada', 'bob']);
    });

    describe('of a view with many items', () => {
      beforeEach(() =>
        storage.write(async (tx) => {
          await tx.run('UPDATE tally SET count = 1000');
        }),
      );

      it('are read in the order of ids', async () => {
        const read = (part: Partial<PagePlan>, descending = false) =>
          codenames(plan({ order: { by: 'id', descending }, limit: 2, ...part }));
        expect(await read({})).to.deep.equal(['ada', 'bob']);
        expect(await read({ skip: 3 })).to.deep.equal(['dan', 'eve']);
        expect(await read({ skip: 1 }, true)).to.deep.equal(['dan', 'cyd']);
        expect(await read({ types: [NOTE] }, true)).to.deep.equal(['eve', 'dan']);
        const blue: Condition = {
          on: 'slots',
          slots: [SLOT.color],
          test: { kind: 'one-of', keys: ['=blue'] },
        };
        expect(await read({ types: [BOOK], conditions: [blue] })).to.deep.equal(['cyd']);
        const german = {
          view: VIEW.de,
          languages: [{ number: 2, ordinal: 1, fallback: false }],
          languagesRestricted: true,
        };
        expect(await read(german)).to.deep.equal(['ada']);
      });

      it('are sorted by id where the project has many items that the view does not show', async () => {
        const byId = plan({ order: { by: 'id', descending: false }, limit: 2 });
        const costOf = (plan: PagePlan) => storage.snapshot((reads) => reads.cost(plan));
        expect(await costOf(byId)).to.be.below(200);
        await storage.write((tx) =>
          tx.insert(
            'item',
            ['number', 'project', 'id', 'created', 'last_modified'],
            Array.from({ length: 1000 }, (_, index) => [1000 + index, PROJECT, `a-${index}`, 'now', 'now']),
          ),
        );
        // Another plan, whose counts are not remembered.
        const other = { ...byId, types: [BOOK, NOTE] };
        expect(await costOf(other)).to.be.above(2000);
        expect(await codenames(other)).to.deep.equal(['ada', 'bob']);
      });

      it('are read in the order of ids where the view shows every second item of the project', async () => {
        const numbers = Array.from({ length: 200 }, (_, index) => 1000 + index);
        await storage.write(async (tx) => {
          await tx.insert(
            'item',
            ['number', 'project', 'id', 'created', 'last_modified'],
            numbers.map((number) => [number, PROJECT, `0-${number}`, 'now', 'now']),
          );
          await tx.insert(
            'resolved',
            COMPILED_COLUMNS.resolved,
            numbers
              .filter((number) => number % 2 === 0)
              .map((number) => [VIEW.en, number, number, BOOK, 1, `shown_${number}`]),
          );
        });
        const byId = plan({ order: { by: 'id', descending: false }, limit: 50 });
        expect(await storage.snapshot((reads) => reads.cost(byId))).to.be.within(400, 600);
      });

      it('count an exclusion by what it excludes, each document once', async () => {
        const total = async (slot: number, keys: readonly string[]) => {
          const conditions: Condition[] = [{ on: 'slots', slots: [slot], test: { kind: 'none-of', keys } }];
          const wanted = plan({ types: [BOOK], conditions, limit: 1, total: true });
          const page = await storage.page(wanted);
          expect(await storage.snapshot((reads) => reads.count(wanted))).to.equal(page.total);
          return page.total;
        };
        expect(await total(SLOT.color, ['=red'])).to.equal(1000 - 2);
        expect(await total(SLOT.tags, ['=x', '=y'])).to.equal(1000 - 3);
        expect(await total(SLOT.tags, ['=none'])).to.equal(1000);
      });
    });

    it('continues after a codename', async () => {
      expect(await codenames(plan({ after: 'bob', limit: 2 }))).to.deep.equal(['cyd', 'dan']);
      expect(await codenames(plan({ after: 'eve', limit: 2 }))).to.deep.equal([]);
    });

    it('returns the documents of the view in the plan', async () => {
      // ada has a German document; the other items fall back to English.
      const german = plan({
        view: VIEW.de,
        languages: [
          { number: 2, ordinal: 1, fallback: false },
          { number: EN, ordinal: 0, fallback: true },
        ],
      });
      const shown = async (wanted: PagePlan) =>
        (await documentsOf(await storage.page(wanted))).flatMap(({ body }) => texts(body));
      expect(await shown(german)).to.deep.equal(['ada de', 'bob en', 'cyd en', 'dan en', 'eve en']);
      expect(await shown({ ...german, conditions: [slotsBoth(oneOf('=red'))] })).to.deep.equal(['bob en']);
      const own = { ...german, languages: german.languages.slice(0, 1), languagesRestricted: true };
      expect(await shown(own)).to.deep.equal(['ada de']);
    });

    it('reads given items in their order', async () => {
      const given = await storage.page(plan({ items: [3, 1], limit: 2 }));
      expect(await named(given)).to.deep.equal(['cyd', 'ada']);
    });

    it('resolves items to the documents of a view, with the sequence', async () => {
      const page = await storage.page(plan({}));
      const resolved = await storage.resolve(PROJECT, VIEW.en, [...page.items, 99]);
      expect(resolved.sequence).to.equal(page.sequence);
      expect(page.items.map((item) => resolved.documents.get(item))).to.deep.equal(page.documents);
      expect(resolved.documents.size).to.equal(page.items.length);
    });

    it('reads documents with the epoch of the data, and omits deleted ones', async () => {
      const [first] = (await storage.page(plan({}))).documents;
      const found = await storage.documents([987_654, first ?? 0]);
      expect(found.map(({ number, epoch }) => ({ number, epoch }))).to.deep.equal([
        { number: first, epoch: storage.epoch },
      ]);
    });

    it('reports the names that documents have, once all have them', async () => {
      const names = async () => (await storage.documents([1, 2])).map((document) => document.names);
      expect(await names()).to.deep.equal([0, 0]);
      await storage.write(async (tx) => {
        const columns = ['project', 'kind', 'target', 'sequence', 'names_sequence'];
        await tx.insert('pending', columns, [
          [PROJECT, 2, 1, 9, 9],
          [PROJECT, 3, 5, 9, null],
        ]);
        await tx.run('UPDATE project SET names_sequence = 9 WHERE number = ?', [PROJECT]);
      });
      expect(await names()).to.deep.equal([null, null]);
      await storage.write((tx) => tx.run('DELETE FROM pending WHERE kind = 2'));
      expect(await names()).to.deep.equal([9, 9]);
    });

    it('reports a newer model', async () => {
      expect((await storage.page(plan({ modelSequence: 4 }))).modelChanged).to.equal(true);
      expect((await storage.page(plan({}))).modelChanged).to.equal(false);
    });

    it('reports that documents are stale, and which', async () => {
      expect((await storage.page(plan({}))).pending).to.equal(false);
      await storage.write((tx) =>
        tx.insert('pending', ['project', 'kind', 'target', 'sequence'], [[PROJECT, 3, 5, 9]]),
      );
      expect((await storage.page(plan({}))).pending).to.equal(true);
      const stale = async () => {
        const found = await storage.snapshot((sql) => sql.stale(PROJECT, [1, 2, 3, 4, 5]));
        return [...found].sort(([one], [other]) => one - other);
      };
      expect(await stale()).to.deep.equal([
        [1, 'all'],
        [2, 'all'],
      ]);
      await storage.write((tx) => tx.run('UPDATE pending SET names_sequence = sequence', []));
      expect(await stale()).to.deep.equal([
        [1, 'names'],
        [2, 'names'],
      ]);
      await storage.write((tx) => tx.run('UPDATE pending SET sequence = sequence + 1', []));
      expect((await stale()).map(([, extent]) => extent)).to.deep.equal(['all', 'all']);
    });

    it('reads the same step by step and at once', async () => {
      const wanted = plan({ order: byColor(true), skip: 1, limit: 3, total: true });
      const whole = await storage.page(wanted);
      const steps = await storage.snapshot(async (sql) => {
        const numbers = await sql.items(wanted);
        const joined = await sql.joined(VIEW.en, numbers);
        const rows = await sql.documents(VIEW.en, numbers);
        const linked = await sql.linked(VIEW.en, numbers);
        return { numbers, joined, rows, linked, count: await sql.count(wanted) };
      });
      expect(steps.numbers).to.deep.equal(whole.items);
      expect(steps.rows.map(({ number }) => number)).to.deep.equal(whole.documents);
      expect(items(steps.joined.bodies)).to.deep.equal(await named(whole));
      expect(steps.count).to.equal(whole.total);
      const linked = await storage.snapshot((sql) => sql.documents(VIEW.en, steps.linked));
      expect(linked.map(({ codename }) => codename).sort()).to.deep.equal(
        (
          await documentsOf({
            documents: [...(await storage.resolve(PROJECT, VIEW.en, steps.linked)).documents.values()],
          })
        )
          .map(({ codename }) => codename)
          .sort(),
      );
    });

    it('joins documents by codename, and their components, as rows would be', async () => {
      const found = await storage.snapshot(async (sql) => {
        const rows = await sql.documents(VIEW.en, [3, 99, 1, 5]);
        const bare = rows.slice(0, 1).map(({ item }) => item);
        return {
          rows,
          joined: await sql.joinedByCodename(VIEW.en, [3, 99, 1, 5], bare),
          components: await sql.joinedComponents(VIEW.en, [3, 99, 1, 5]),
          bodies: await sql.joined(VIEW.en, [3, 99, 1, 5]),
          nothing: await sql.joinedByCodename(VIEW.en, [99], []),
        };
      });
      const keyed = found.rows.map(({ codename, body }) => `"${codename}":${body}`);
      const components = found.rows.map((row) => row.components);
      expect(components.slice(1).filter((text) => text !== '')).not.to.deep.equal([]);
      const whole = found.rows.flatMap((_, index) => [keyed[index]!, index === 0 ? '' : components[index]!]);
      const joined = (texts: readonly string[]) => texts.filter((text) => text !== '').join(',');
      expect(Buffer.from(found.joined).toString()).to.equal(joined(whole));
      expect(Buffer.from(found.components).toString()).to.equal(joined(components));
      const composite = found.rows.filter((row) => row.components !== '');
      expect(found.bodies.withComponents).to.deep.equal(composite.map(({ item }) => item));
      expect(found.nothing).to.have.length(0);
    });

    it('omits items that the view lacks', async () => {
      const rows = await storage.snapshot((sql) => sql.documents(VIEW.en, [3, 99, 1]));
      expect(rows.map(({ codename }) => codename)).to.deep.equal(['cyd', 'ada']);
    });

    /** In the order of the page. */
    async function documentsOf(page: Pick<PageResult, 'documents'>): Promise<StoredDocument[]> {
      const found = await storage.documents(page.documents);
      return page.documents.flatMap((number) => found.find((document) => document.number === number) ?? []);
    }

    async function named(page: PageResult): Promise<string[]> {
      return (await documentsOf(page)).map(({ codename }) => codename);
    }

    async function codenames(wanted: PagePlan): Promise<string[]> {
      const page = await named(await storage.page(wanted));
      const numbers = await storage.snapshot((sql) => sql.items(wanted));
      const rows = await storage.snapshot((sql) => sql.documents(VIEW.en, numbers));
      expect(
        rows.map(({ codename }) => codename),
        'in steps',
      ).to.deep.equal(page);
      return page;
    }
  });
}

function oneOf(...keys: string[]): KeyTest {
  return { kind: 'one-of', keys };
}

function range(from: string, to: string, inclusive: boolean): KeyTest {
  return { kind: 'range', from: { key: from, inclusive }, to: { key: to, inclusive } };
}

function slots(test: KeyTest): Condition {
  return { on: 'slots', slots: [SLOT.color], test };
}

function slotsBoth(test: KeyTest): Condition {
  return { on: 'slots', slots: [SLOT.color, SLOT.colorDe], test };
}

/** A slot that only some tests write. */
const NOTE_COLOR = 3 * 256;

function byColor(descending: boolean): Order {
  return { by: 'slots', slots: [SLOT.color], lacking: [NOTE], descending };
}

function parsed(bytes: Uint8Array): { codename: string; text: string }[] {
  return JSON.parse(`[${Buffer.from(bytes).toString()}]`);
}

function items(bytes: Uint8Array): string[] {
  return parsed(bytes).map(({ codename }) => codename);
}

function texts(bytes: Uint8Array): string[] {
  return parsed(bytes).map(({ text }) => text);
}
