/**
 * Nothing is lost: forms of the item editor in two browsers and three tabs, a program that writes through the API, lost requests
 * and answers, and tabs that crash. Values are texts of tokens; each change adds one or removes all, so that what is missing
 * at the end can be named.
 */

import { expect } from 'chai';
import { createManagementKey } from '../../core/access/projects.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { restoreVariant } from '../../core/content/variants.ts';
import { LocalCopies } from '../../plugins/console/app/copies/local-copies.ts';
import type { ElementForm } from '../../plugins/console/app/screens/item/element-form.ts';
import type { ContentModel } from '../../plugins/console/app/screens/item/form-groups.ts';
import type {
  ItemForm,
  UnsavedElement,
  VariantServer,
} from '../../plugins/console/app/screens/item/item-form.ts';
import type {
  ContentType,
  ManagedElement,
  ManagedVariant,
} from '../../plugins/console/app/screens/item/managed.ts';
import { BrowserOfTest } from '../support/console/browser-of-test.ts';
import { SESSION_COOKIE } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { until } from '../support/until.ts';

const SEQUENCES = isLongForm ? 500 : 6;
const STEPS = 40;
const EDITOR = '../../plugins/console/app/screens/item';
const EMPTY = '<p><br/></p>';

type Cut = 'none' | 'request' | 'answer';

describe('what is typed in the item editor', function () {
  this.timeout(SEQUENCES * 10_000);
  let notes: NotesService;
  let model: ContentModel;
  let type: ContentType;
  let key: string;
  let cookies: readonly string[];
  let variantServer: (path: string) => VariantServer;
  let Form: typeof ItemForm;
  const { fetch: realFetch } = globalThis;
  /** The tab whose request is sent. */
  let sender: Tab | undefined;

  before(async () => {
    const environment = Object.fromEntries(
      ['SECOND', 'MINUTE', 'HOUR'].map((name) => [`HEADWATER_PLUGINS__SESSION__LIMITS__${name}`, '1000000']),
    );
    notes = await NotesService.start({ unlimited: true, environment });
    const { operations } = notes.service.core;
    await notes.run((transaction) =>
      createType(transaction, {
        name: 'Page',
        elements: [
          { type: 'text', name: 'Title', codename: 'title' },
          { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'title' } } },
          { type: 'text', name: 'Summary' },
          { type: 'rich_text', name: 'Body' },
        ],
      }),
    );
    key = (await operations.installation(null, (to) => createManagementKey(to, notes.project, notes.user)))
      .key;
    const people = await Promise.all(
      ['Ada', 'Grace'].map((name) => signInPerson(notes.service, { name, isOperator: true })),
    );
    cookies = people.map(({ browser }) => browser.cookie ?? '');
    const { body } = await people[0]!.browser.request<{ types: ContentType[] }>(
      'GET',
      `manage/projects/${notes.project}/types`,
    );
    type = body.types.find(({ codename }) => codename === 'page')!;
    model = {
      types: new Map(body.types.map((one) => [one.id, one])),
      snippets: new Map(),
      taxonomies: new Map(),
      languages: [],
    };
    // What the application reads of its page when it is loaded.
    const page = { documentElement: { dataset: { base: `${notes.service.url}/console` } } };
    Object.assign(globalThis, { document: page, fetch: send });
    ({ variantServer } = (await import(`${EDITOR}/server.ts`)) as { variantServer: typeof variantServer });
    ({ ItemForm: Form } = (await import(`${EDITOR}/item-form.ts`)) as { ItemForm: typeof ItemForm });
  });
  after(async () => {
    Object.assign(globalThis, { fetch: realFetch });
    Reflect.deleteProperty(globalThis, 'document');
    await notes.stop();
  });

  /** As the browser of the tab sends it, over a network that may lose the request or its answer. */
  async function send(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const tab = sender;
    sender = undefined;
    if (!tab) return realFetch(input, init);
    const { cut } = tab;
    const written = init.method === 'PUT' ? tab.began(JSON.parse(String(init.body)).elements) : undefined;
    if (cut === 'request') throw new TypeError('cut');
    const headers = new Headers(init.headers);
    headers.set('cookie', `${SESSION_COOKIE}=${cookies[tab.person]}`);
    headers.set('sec-fetch-site', 'same-origin');
    const response = await realFetch(input, { ...init, headers, credentials: 'omit' });
    const body = await response.text();
    if (response.ok) written?.(JSON.parse(body).last_modified);
    else if (![404, 412].includes(response.status)) throw new Error(`${response.status}: ${body}`);
    if (cut === 'answer') throw new TypeError('cut');
    return new Response(body, { status: response.status, headers: response.headers });
  }

  /** What a sequence knows. */
  class Ledger {
    /** Tokens that have to be on the server in the end. */
    readonly expected = new Set<string>();
    /** Tokens that were removed. */
    readonly removed = new Set<string>();
    readonly log: string[] = [];

    readonly #writes: { readonly at: string; readonly before: string; readonly after: string }[] = [];

    /** The server has done a write. */
    written(at: string, before: string, after: string): void {
      this.#writes.push({ at, before, after });
    }

    /** Follows the writes in the order of the server. */
    replay(): void {
      for (const { before, after } of this.#writes.sort((one, other) => one.at.localeCompare(other.at))) {
        const [had, has] = [tokensOf(before), tokensOf(after)];
        for (const token of had)
          if (!has.has(token)) {
            this.expected.delete(token);
            this.removed.add(token);
          }
        for (const token of has)
          if (!had.has(token)) {
            this.expected.add(token);
            this.removed.delete(token);
          }
      }
    }

    givenUp(texts: string, but: string): void {
      const kept = tokensOf(but);
      for (const token of tokensOf(texts)) if (!kept.has(token)) this.expected.delete(token);
    }
  }

  class Tab {
    readonly person: number;
    readonly #browser: BrowserOfTest;
    readonly #path: string;
    readonly #ledger: Ledger;
    form!: ItemForm;
    copies!: LocalCopies<UnsavedElement>;
    cut: Cut = 'none';

    constructor(person: number, browser: BrowserOfTest, path: string, ledger: Ledger) {
      this.person = person;
      this.#browser = browser;
      this.#path = path;
      this.#ledger = ledger;
    }

    async open(): Promise<void> {
      const inner = variantServer(this.#path);
      const from = <T>(work: () => Promise<T>) => {
        sender = this;
        return work();
      };
      const server: VariantServer = {
        read: () => from(() => inner.read()),
        write: (...given) => from(() => inner.write(...given)),
        isLost: (error) => inner.isLost(error),
      };
      this.form = new Form(model, type, await server.read(), server);
      this.copies = new LocalCopies<UnsavedElement>(this.#browser, {
        of: 'variant',
        changed: () => this.form.unsaved(),
        onResult: () => {},
        onClosed: () => {},
      });
      await this.takeFound();
    }

    async takeFound(): Promise<boolean> {
      const found = await this.copies.found();
      if (!found) return false;
      if (this.form.lacking(found.elements).length > 0) this.form.restore(found.elements);
      await this.copies.write();
      await this.copies.dropFound();
      return true;
    }

    /** The page is gone without a last word. */
    async crash(): Promise<void> {
      this.copies.close();
      this.cut = 'none';
      await this.open();
    }

    /** @returns called once the server has written */
    began(elements: readonly ManagedElement[]): (at: string) => void {
      const before = elements.map(({ element }) => textOf(this.form.elements.get(element.id)!.saved));
      return (at) => {
        for (const [index, one] of elements.entries()) this.#ledger.written(at, before[index]!, textOf(one));
      };
    }

    async save(cut: Cut = 'none'): Promise<void> {
      this.cut = cut;
      await this.form.save({ isAsked: true });
      this.cut = 'none';
      const error = this.form.error.peek() as { readonly status?: number } | undefined;
      if (error !== undefined && error.status !== 0) throw error;
      await this.copies.write();
    }

    /** Reads what others have saved. A save that is under way may have its answer cut, and this one with it. */
    async follow(): Promise<boolean> {
      try {
        await this.form.reload();
        return true;
      } catch (error) {
        if ((error as { readonly status?: number }).status === 0) return false;
        throw error;
      }
    }

    /** @param token undefined: removes all */
    async type(element: ElementForm, token: string | undefined): Promise<void> {
      const before = textOf(element.json());
      const isRich = element.definition.type === 'rich_text';
      if (token === undefined) {
        element.set(isRich ? EMPTY : null);
        this.#ledger.givenUp(before, textOf(element.saved));
      } else {
        const value = before === EMPTY ? '' : before;
        element.set(isRich ? `${value}<p>${token}</p>` : `${value} ${token}`.trim());
        this.#ledger.expected.add(token);
      }
      await this.copies.write();
    }

    get choices(): ElementForm[] {
      return [...this.form.elements.values()].filter(({ theirs }) => theirs.peek() !== undefined);
    }

    async choose(element: ElementForm, keepMine: boolean): Promise<void> {
      const [mine, theirs] = [textOf(element.json()), textOf(element.theirs.peek()!)];
      element.choose(keepMine);
      if (!keepMine) this.#ledger.givenUp(mine, theirs);
      await this.copies.write();
    }
  }

  /** A program with a management key. */
  async function byApi(path: string, method: string, body?: unknown, etag?: string): Promise<Response> {
    return realFetch(`${notes.service.url}/manage/v2/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(etag !== undefined && { 'if-match': etag }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async function sequence(seed: number): Promise<void> {
    const random = new Random(seed);
    const ledger = new Ledger();
    const item = await notes.run(async (transaction) => {
      return (await createItem(transaction, { name: `Page ${seed}`, type: { codename: 'page' } })).id;
    });
    const at = (language: string) => `projects/${notes.project}/items/${item}/variants/codename/${language}`;
    for (const language of ['en', 'de'])
      expect((await byApi(at(language), 'PUT', { elements: [] })).status).to.equal(201);
    const [one, other] = [new BrowserOfTest(), new BrowserOfTest()];
    const tabs = [
      new Tab(0, one, `manage/${at('en')}`, ledger),
      new Tab(1, other, `manage/${at('en')}`, ledger),
    ];
    tabs.push(new Tab(0, one, `manage/${at('en')}`, ledger));
    for (const tab of tabs) await tab.open();
    const texts = type.elements.flatMap((element) =>
      element.type === 'text' || element.type === 'rich_text' ? [element] : [],
    );
    const read = async () => {
      const response = await byApi(at('en'), 'GET');
      expect(response.status).to.equal(200);
      return { variant: (await response.json()) as ManagedVariant, etag: response.headers.get('etag') ?? '' };
    };

    let tokens = 0;
    const token = (by: string) => {
      tokens += 1;
      return `${by}${tokens}`;
    };
    const underWay: Promise<void>[] = [];
    const settle = async () => {
      await Promise.all(underWay.splice(0));
    };
    const cut = () => random.pick<Cut>(['none', 'none', 'none', 'request', 'answer']);
    const writeByApi = async () => {
      const { id, type: kind } = random.pick(texts);
      const isRemoval = random.chance(0.25);
      const { variant, etag } = await read();
      const before = textOf(variant.elements.find(({ element }) => element.id === id)!);
      const isRich = kind === 'rich_text';
      const kept = before === EMPTY ? '' : before;
      const name = token('api');
      const added = isRich ? `${kept}<p>${name}</p>` : `${kept} ${name}`.trim();
      const value = isRemoval ? (isRich ? EMPTY : null) : added;
      const answer = await byApi(at('en'), 'PUT', { elements: [{ element: { id }, value }] }, etag);
      const { last_modified: time } = (await answer.json()) as ManagedVariant;
      if (answer.status === 200) ledger.written(time, before, value ?? '');
      else expect(answer.status).to.equal(412);
    };
    const archive = async (tab: Tab) => {
      await settle();
      expect((await byApi(at('en'), 'DELETE')).status).to.equal(204);
      for (const each of tabs) await each.save();
      expect((await byApi(at('en'), 'GET')).status, 'it does not come back by itself').to.equal(404);
      await tab.type(tab.form.elements.get(random.pick(texts).id)!, token('late'));
      await notes.run(async (transaction) => {
        await restoreVariant(transaction, { id: item }, { codename: 'en' });
      });
      for (const each of tabs) await each.follow();
    };

    for (let step = 0; step < STEPS; step += 1) {
      const index = random.int(0, tabs.length - 1);
      const tab = tabs[index]!;
      const element = tab.form.elements.get(random.pick(texts).id)!;
      const what = random.next();
      ledger.log.push(`${step} tab ${index} ${element.definition.codename} ${what.toFixed(3)}`);
      if (what < 0.4) await tab.type(element, random.chance(0.12) ? undefined : token(`t${index}x`));
      else if (what < 0.58) await tab.save(cut());
      else if (what < 0.7) underWay.push(tab.save(cut()));
      else if (what < 0.8) await writeByApi();
      else if (what < 0.87) await tab.follow();
      else if (what < 0.92) {
        await settle();
        await tab.crash();
      } else if (what < 0.98) {
        const [choice] = tab.choices;
        if (choice) await tab.choose(choice, random.chance(0.5));
      } else await archive(tab);
      if (random.chance(0.2)) await settle();
    }
    await settle();

    const isQuiet = () => tabs.every(({ form }) => form.changed.peek().size === 0);
    for (let round = 0; round < 30; round += 1) {
      let wasFound = false;
      for (const tab of tabs) {
        await tab.follow();
        for (const choice of tab.choices) await tab.choose(choice, random.chance(0.5));
        await tab.save();
        if (tab.form.changed.peek().size === 0) wasFound = (await tab.takeFound()) || wasFound;
      }
      if (isQuiet() && !wasFound) break;
    }
    for (const tab of tabs) await until(() => tab.follow());
    expect(isQuiet(), 'every form is saved').to.equal(true);
    ledger.replay();
    const { variant } = await read();
    const served = tokensOf(JSON.stringify(variant.elements));
    expect(
      [...ledger.expected].filter((one) => !served.has(one)),
      'lost',
    ).to.deep.equal([]);
    expect(
      [...ledger.removed].filter((one) => served.has(one)),
      'back after a removal',
    ).to.deep.equal([]);
    for (const [index, { form }] of tabs.entries())
      for (const element of form.elements.values())
        expect(element.json(), `tab ${index} shows what the server has`).to.deep.equal(
          element.normal(variant.elements.find((given) => given.element.id === element.definition.id)!),
        );
    expect([...one.stored, ...other.stored], 'copies').to.deep.equal([]);
    for (const { copies } of tabs) copies.close();
  }

  it(`is on the server or an open choice, in ${SEQUENCES} sequences of edits, cuts and crashes`, async () => {
    for (const seed of testSeeds(SEQUENCES)) {
      try {
        await sequence(seed);
      } catch (error) {
        (error as Error).message = `HEADWATER_TEST_SEED=${seed}: ${(error as Error).message}`;
        throw error;
      }
    }
  });
});

function textOf({ value }: Pick<ManagedElement, 'value'>): string {
  return String(value ?? '');
}

function tokensOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/\b(?:api|late|t\dx)\d+\b/g));
}
