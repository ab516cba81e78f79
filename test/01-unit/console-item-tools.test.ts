/** What stands beside the form of an item: custom elements and framed pages within bounds, preview URLs, requests as text. */
import { expect } from 'chai';
import { permittedQuery } from '../../core/delivery/permitted-request.ts';
import { CallPace } from '../../plugins/console/app/custom-element/call-pace.ts';
import {
  ElementHost,
  type HostActs,
  LONGEST_VALUE,
} from '../../plugins/console/app/custom-element/element-host.ts';
import type { ToPage } from '../../plugins/console/app/custom-element/protocol.ts';
import { MessageLimit } from '../../plugins/console/app/parts/message-limit.ts';
import { webAddress } from '../../plugins/console/app/rich-text/link.ts';
import { nameOfCopy, writeCopy } from '../../plugins/console/app/screens/item/copied-variant.ts';
import { shownVariant } from '../../plugins/console/app/screens/item/edited-item.ts';
import { ElementForm } from '../../plugins/console/app/screens/item/element-form.ts';
import type { ContentModel } from '../../plugins/console/app/screens/item/form-groups.ts';
import { guidelineBlocks } from '../../plugins/console/app/screens/item/guidelines.ts';
import type { VariantServer } from '../../plugins/console/app/screens/item/item-form.ts';
import type { ElementValue, ValueDefinition } from '../../plugins/console/app/screens/item/managed.ts';
import { elementText, plainText } from '../../plugins/console/app/screens/item/plain-text.ts';
import {
  filledUrl,
  type Previewed,
  previewUrlFor,
} from '../../plugins/console/app/screens/item/preview/preview-urls.ts';
import { Obstructed, Refused } from '../../plugins/console/app/screens/item/saving.ts';
import { copyElement } from '../../plugins/console/app/screens/item/source-variant.ts';

describe('the page of a custom element', () => {
  const made = (acts: Partial<HostActs> = {}) => {
    const log: unknown[] = [];
    const host = new ElementHost({
      post: (message) => log.push(message),
      start: () => ({ kind: 'disabled', isDisabled: false }),
      setValue: (value) => log.push(['value', value]),
      setHeight: (pixels) => log.push(['height', pixels]),
      refuseValue: () => log.push('refused'),
      elementValue: (codename) => codename.toUpperCase(),
      select: async () => [{ id: 'one' }],
      detail: async (_, id) => id,
      nextCall: async () => {},
      now: () => 0,
      ...acts,
    });
    const send = (message: object, isDisabled = false) =>
      host.receive({ customElement: 1, ...message }, isDisabled);
    return { host, log, send };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('sets the value, as a text or in an object, unless it is disabled', () => {
    const { log, send } = made();
    send({ kind: 'value', value: 'a' });
    send({ kind: 'value', value: { value: 'b', searchableValue: 'c' } });
    send({ kind: 'value', value: null });
    send({ kind: 'value', value: 'no' }, true);
    expect(log).to.deep.equal([
      ['value', 'a'],
      ['value', 'b'],
      ['value', null],
    ]);
  });

  it('sets no value that is too long or no text, and no height beyond the bounds', () => {
    const { log, send } = made();
    send({ kind: 'value', value: 'x'.repeat(LONGEST_VALUE + 1) });
    for (const value of [7, {}, [], undefined, { value: {} }]) send({ kind: 'value', value });
    for (const height of [1e12, -5, Number.NaN, 'x', null, 120.4]) send({ kind: 'height', height });
    expect(log).to.deep.equal(['refused', ['height', 2000], ['height', 40], ['height', 40], ['height', 120]]);
  });

  it('is answered to what it asks, of which few wait at a time', async () => {
    const { log, send } = made();
    for (let id = 1; id <= 50; id++) send({ kind: 'ask', id, what: 'elementValue', argument: 'title' });
    await settled();
    expect(log).to.have.length(20);
    expect(log[0]).to.deep.equal({ kind: 'answer', id: 1, value: 'TITLE' });
    send({ kind: 'ask', id: 60, what: 'assetDetails', argument: Array.from({ length: 500 }, () => 'id') });
    await settled();
    expect((log.at(-1) as ToPage & { value: unknown[] }).value).to.have.length(100);
  });

  it('gets the details of what is there, without an object that was deleted', async () => {
    const { log, send } = made({ detail: async (_, id) => (id === 'deleted' ? null : { id }) });
    send({ kind: 'ask', id: 1, what: 'assetDetails', argument: ['one', 'deleted', 'two'] });
    await settled();
    expect(log).to.deep.equal([{ kind: 'answer', id: 1, value: [{ id: 'one' }, { id: 'two' }] }]);
  });

  it('makes few calls at once and then one at a time, none once it is gone', async () => {
    let now = 0;
    const calls: number[] = [];
    const pace = new CallPace(
      () => now,
      async (milliseconds) => {
        now += milliseconds;
      },
    );
    const { host, log, send } = made({
      nextCall: () => pace.next(),
      detail: async () => calls.push(now),
    });
    const argument = ['..', 'a/b', ...Array.from({ length: 99 }, () => 'id')];
    for (let id = 1; id <= 3; id++) send({ kind: 'ask', id, what: 'itemDetails', argument });
    await settled();
    expect(calls).to.have.length(3 * 98);
    // A session may make 50 calls in a second, 1,000 in a minute and 20,000 in an hour.
    const most = (period: number) =>
      Math.max(...calls.map((from) => calls.filter((at) => at >= from && at < from + period).length));
    expect(most(1000)).to.be.at.most(25);
    expect(most(60_000)).to.be.at.most(220);
    expect(log).to.have.length(3);
    host.close();
    send({ kind: 'ask', id: 4, what: 'itemDetails', argument });
    await settled();
    expect(calls).to.have.length(3 * 98);
    expect(log.at(-1)).to.deep.equal({ kind: 'answer', id: 4, value: null });
  });

  it('opens one dialog, and none as soon as that was closed', async () => {
    let now = 0;
    let opened = 0;
    const { log, send } = made({
      now: () => now,
      select: async () => {
        opened += 1;
        return null;
      },
    });
    const select = async (id: number) => {
      send({ kind: 'ask', id, what: 'selectItems', argument: { allowMultiple: true } });
      await settled();
    };
    send({ kind: 'ask', id: 1, what: 'selectAssets', argument: {} });
    await select(2);
    expect(opened).to.equal(1);
    now = 1999;
    await select(3);
    expect(opened).to.equal(1);
    now = 2001;
    await select(4);
    expect(opened).to.equal(2);
    expect(log).to.have.length(4);
  });

  it('may send anything', async () => {
    const { host, log } = made();
    for (const data of [null, 1, 'x', [], {}, { customElement: 1 }, { customElement: 1, kind: 'x' }])
      host.receive(data, false);
    host.receive({ customElement: 1, kind: 'ask', id: {}, what: 'elementValue' }, false);
    host.receive({ customElement: 1, kind: 'ask', id: 1, what: 'nothing' }, false);
    host.receive({ customElement: 1, kind: 'observe', codenames: [1, 'a', null] }, false);
    await settled();
    expect(log).to.deep.equal([{ kind: 'answer', id: 1, value: null }]);
    expect([...host.observed]).to.deep.equal(['a']);
  });
});

describe('messages of a framed page', () => {
  it('are counted by the second', () => {
    const limit = new MessageLimit();
    const admitted = (now: number) =>
      Array.from({ length: 300 }, () => limit.admits(now)).filter(Boolean).length;
    expect(admitted(0)).to.equal(200);
    expect(admitted(999)).to.equal(0);
    expect(admitted(1000)).to.equal(200);
  });
});

describe('preview URLs', () => {
  const item: Previewed = {
    type: 'article',
    language: 'en',
    values: {
      '{URLslug}': 'a b/ü',
      '{Codename}': 'a_b',
      '{Lang}': 'en-US',
      '{ItemId}': '1',
    },
  };
  const of = (type: string | null, language: string | null, url: string) => ({
    type: type === null ? null : { id: type },
    language: language === null ? null : { id: language },
    url,
  });

  it('are found by type and language, the type first', () => {
    const urls = [of(null, null, 'any'), of(null, 'en', 'language'), of('article', null, 'type')];
    expect(previewUrlFor(urls, item)).to.equal('type');
    expect(previewUrlFor([...urls, of('article', 'en', 'both')], item)).to.equal('both');
    expect(previewUrlFor(urls, { ...item, type: 'x' })).to.equal('language');
    expect(previewUrlFor(urls, { ...item, type: 'x', language: 'de' })).to.equal('any');
    expect(previewUrlFor([of('y', null, 'y')], item)).to.equal(undefined);
  });

  it('are filled with encoded values, or name the one that is missing', () => {
    expect(filledUrl('https://a.example/{Lang}/{URLslug}?c={Codename}&i={ItemId}', item)).to.deep.equal({
      url: 'https://a.example/en-US/a%20b%2F%C3%BC?c=a_b&i=1',
    });
    const empty = { ...item, values: { ...item.values, '{URLslug}': '' } };
    expect(filledUrl('https://a.example/{URLslug}', empty)).to.deep.equal({ missing: '{URLslug}' });
  });
});

describe('delivery and preview of a person whose roles are limited', () => {
  it('leave out other types, other languages and linked items', () => {
    const query = (given: string, ...scopes: Parameters<typeof permittedQuery>[1]) =>
      [...new URLSearchParams(permittedQuery(given, scopes))].map((pair) => pair.join(' ')).sort();
    const all = { types: null, languages: null };
    expect(permittedQuery('depth=3', [{ types: ['a'], languages: null }, all])).to.equal('depth=3');
    expect(query('depth=3', { types: ['a', 'b'], languages: null })).to.deep.equal([
      'depth 0',
      'system.type[in] a,b',
    ]);
    expect(
      query('language=de', { types: null, languages: ['de'] }, { types: ['a'], languages: ['en'] }),
    ).to.deep.equal(['depth 0', 'language de', 'system.language de']);
    // The address of the next page has what was added for the page before.
    const limited = [{ types: ['a'], languages: ['de'] }];
    const page = permittedQuery('language=de&limit=1', limited);
    expect(permittedQuery(page, limited)).to.equal(page);
    for (const given of ['', 'language=en'])
      expect(() => permittedQuery(given, [{ types: null, languages: ['de'] }])).to.throw(/language/);
  });
});

describe('a translation', () => {
  const model: ContentModel = {
    types: new Map(),
    snippets: new Map(),
    taxonomies: new Map(),
    languages: [],
  };
  const base = { id: 'x', name: 'x', codename: 'x', guidelines: null, is_required: false };
  const text: ValueDefinition = { ...base, type: 'text', maximum_text_length: null };
  const slug: ValueDefinition = { ...base, type: 'url_slug', depends_on: { element: { id: 't' } } };
  const element = (definition: ValueDefinition, value: ElementValue, mode?: 'custom' | 'autogenerated') =>
    new ElementForm(
      model,
      definition,
      { element: { id: 'x' }, value, ...(mode && { mode }) },
      () => undefined,
    );

  it('gets the value of its source, but no slug that follows a text', () => {
    const to = element(text, 'Eins');
    copyElement(element(text, 'One'), to);
    expect(to.value.value).to.equal('One');
    const own = element(slug, 'eins', 'autogenerated');
    copyElement(element(slug, 'one', 'autogenerated'), own);
    expect(own.value.value).to.equal('eins');
    copyElement(element(slug, 'two', 'custom'), own);
    expect(own.json()).to.deep.include({ value: 'two', mode: 'custom' });
  });

  it('is text without markup: blocks of rich text are lines', () => {
    const html = '<p>One &amp; <strong>two</strong></p><ul><li>a &lt;b&gt;</li></ul>';
    expect(plainText(html, true)).to.equal('One & two\na <b>');
    expect(plainText([{ id: 'a' }, { id: 'b' }], false)).to.equal('a\nb');
    expect(plainText(null, false)).to.equal('');
    expect(plainText(4.5, false)).to.equal('4.5');
  });

  it('keeps every character of a text that has no markup, where it is shown to be copied', () => {
    const typed = 'if a < b and c > d:\n\n  <video> &amp; more';
    expect(elementText({ element: { id: 'a' }, value: typed })).to.equal(typed);
    const components = [{ id: 'b', type: { id: 'c' }, elements: [{ element: { id: 'a' }, value: typed }] }];
    expect(elementText({ element: { id: 'd' }, value: '<p>1 &lt; 2</p>', components })).to.equal(
      `1 < 2\n${typed}`,
    );
  });
});

describe('the variant that the item editor shows', () => {
  type Variants = Parameters<typeof shownVariant>[0];
  const variants = (...states: [string, string][]) =>
    states.map(([codename, state]) => ({
      language: { id: `id-${codename}`, codename },
      state,
    })) as unknown as Variants;
  const before = variants(['en', 'not_translated'], ['de', 'draft']);
  const [english, german] = before;
  const after = variants(['en', 'draft'], ['de', 'published']);

  it('is in the state that was read last, also where the address has no language', () => {
    expect(shownVariant(after, null, english!)).to.equal(after[0]);
    expect(shownVariant(after, null, german!)).to.equal(after[1]);
  });

  it('is that of the language in the address, by codename or id', () => {
    expect(shownVariant(after, 'de', english!)).to.equal(after[1]);
    expect(shownVariant(after, 'id-de', null)).to.equal(after[1]);
    expect(shownVariant(after, 'fr', german!)).to.equal(after[0]);
    expect(shownVariant(after, null, null)).to.equal(after[0]);
  });

  it('stays where its language was deactivated', () => {
    const left = variants(['en', 'draft']);
    expect(shownVariant(left, null, german!)).to.equal(german);
    expect(shownVariant(left, 'de', german!)).to.equal(german);
  });
});

describe('a copy of an item', () => {
  const value = (id: string, text: string | null) => ({ element: { id }, value: text });
  /** Refuses some elements, at most one in each answer. */
  const serverOf = (...refused: string[]) => {
    const written: string[][] = [];
    const server: VariantServer = {
      async read() {
        return { variant: null, etag: undefined };
      },
      async write(elements) {
        const ids = elements.map(({ element }) => element.id);
        const at = ids.findIndex((id) => refused.includes(id));
        if (at >= 0) throw new Refused([{ path: `elements[${at}].value[0]`, message: 'No.' }], new Error());
        written.push(ids);
        const all = [...ids, ...refused].map(
          (id) => elements.find((one) => one.element.id === id) ?? value(id, null),
        );
        return { variant: { elements: all, last_modified: '' }, etag: '1' };
      },
      isLost: () => false,
    };
    return { server, written };
  };
  const elements = ['a', 'b', 'c'].map((id) => value(id, id));

  it('is without what the server refuses, which is there to be offered', async () => {
    const { server, written } = serverOf('a', 'c');
    expect(await writeCopy(server, elements, (id) => id.toUpperCase())).to.deep.equal([
      { mine: value('a', 'a'), base: value('a', null), name: 'A' },
      { mine: value('c', 'c'), base: value('c', null), name: 'C' },
    ]);
    expect(written).to.deep.equal([['b']]);
  });

  it('is not written twice, and not where something else is in the way', async () => {
    const { server, written } = serverOf();
    expect(await writeCopy(server, elements, String)).to.deep.equal([]);
    const existing = {
      ...server,
      read: async () => ({ variant: { elements, last_modified: '' }, etag: '1' }),
    };
    expect(await writeCopy(existing, elements, String)).to.deep.equal([]);
    expect(written).to.deep.equal([['a', 'b', 'c']]);
    const cause = new Error('403');
    const forbidden = {
      ...server,
      write: async () => {
        throw new Obstructed('forbidden', cause);
      },
    };
    expect(await writeCopy(forbidden, elements, String).catch((error: unknown) => error)).to.equal(cause);
  });

  it('has a name that the server permits', () => {
    const copyOf = (name: string) => `${name} (copy)`;
    expect(nameOfCopy('x'.repeat(43), copyOf)).to.equal(`${'x'.repeat(43)} (copy)`);
    expect(nameOfCopy('x'.repeat(50), copyOf)).to.equal(`${'x'.repeat(42)}… (copy)`);
    expect(nameOfCopy(`${'x'.repeat(41)}🎈${'x'.repeat(7)}`, copyOf)).to.equal(`${'x'.repeat(41)}… (copy)`);
  });
});

describe('guidelines', () => {
  const shown = (guidelines: string) =>
    guidelineBlocks(guidelines).map(({ isList, lines }) => [
      isList ? 'list' : 'text',
      ...lines.map((line) =>
        line.map(({ text, address }) => (address === undefined ? text : `${text}(${address})`)).join(''),
      ),
    ]);

  it('have the lines of a text', () => {
    expect(shown('One\n\nTwo < three')).to.deep.equal([['text', 'One', 'Two < three']]);
    expect(shown('')).to.deep.equal([]);
  });

  it('have the paragraphs, lists and links of markup, and nothing else of it', () => {
    expect(
      shown(
        '<h2>Read</h2><p>All <strong>of</strong>&nbsp;<a data-new-window="true" href="https://example.org/?a=1&amp;b=2">this</a>.</p><ul><li>one</li><li>two<br/></li></ul><p>End<script>1</script></p>',
      ),
    ).to.deep.equal([
      ['text', 'Read', 'All of\u00a0this(https://example.org/?a=1&b=2).'],
      ['list', 'one', 'two'],
      ['text', 'End1'],
    ]);
    expect(shown('<a href="javascript:alert(1)">x</a>')).to.deep.equal([['text', 'x']]);
    expect(shown('<p>A long\nline</p>\n<ul>\n  <li>one\n  more</li>\n</ul>\n')).to.deep.equal([
      ['text', 'A long line'],
      ['list', 'one   more'],
    ]);
  });
});

describe('the address of a link', () => {
  it('is one of the web where it has no scheme', () => {
    expect(['example.org', 'example.org:8080/a', 'localhost:3000'].map(webAddress)).to.deep.equal([
      'https://example.org',
      'https://example.org:8080/a',
      'https://localhost:3000',
    ]);
    for (const typed of ['http://a.example', 'tel:0123', 'mailto:a@example.org', '/a', '#a', '?a'])
      expect(webAddress(typed)).to.equal(typed);
  });
});
