import { signal } from '@preact/signals';
import { expect } from 'chai';
import { LocalCopies } from '../../plugins/console/app/copies/local-copies.ts';
import { Autosave } from '../../plugins/console/app/screens/item/autosave.ts';
import type { ElementForm } from '../../plugins/console/app/screens/item/element-form.ts';
import type { ItemForm, UnsavedElement } from '../../plugins/console/app/screens/item/item-form.ts';
import { Reading } from '../../plugins/console/app/screens/item/reading.ts';
import { BrowserOfTest } from '../support/console/browser-of-test.ts';
import { until } from '../support/until.ts';

const TEMPORARY = new Error('temporary');
const TIMES = { pause: 20, longest: 60, again: 10, longestAgain: 20 };

/** What `Autosave` uses of a form, with one element. */
class OneElement {
  readonly changed = signal<ReadonlySet<ElementForm>>(new Set());
  readonly obstacle = signal(undefined);
  readonly error = signal<unknown>(undefined);
  readonly saves: { readonly isLeaving?: boolean }[] = [];
  failures: unknown[] = [];

  type(): void {
    const element = { theirs: signal(), refused: signal([]), isRemoved: signal(false) };
    this.changed.value = new Set([element as unknown as ElementForm]);
  }

  async save(options: { readonly isLeaving?: boolean }): Promise<boolean> {
    this.saves.push(options);
    this.error.value = this.failures.shift();
    if (this.error.value !== undefined) return false;
    this.changed.value = new Set();
    return true;
  }
}

describe('saving by itself', () => {
  let form: OneElement;
  let autosave: Autosave;
  let isAllowed: boolean;
  beforeEach(() => {
    form = new OneElement();
    isAllowed = true;
    autosave = new Autosave(form as unknown as ItemForm, {
      isAllowed: () => isAllowed,
      isTemporary: (error) => error === TEMPORARY,
      onSaved: async () => undefined,
      times: TIMES,
    });
  });
  afterEach(() => autosave.stop());
  const saved = (count: number) => until(() => form.saves.length >= count);
  const type = () => {
    form.type();
    autosave.schedule();
  };

  it('saves after a pause, once', async () => {
    type();
    type();
    expect(form.saves).to.deep.equal([]);
    await saved(1);
    expect(form.changed.value.size).to.equal(0);
  });

  it('does not wait for a pause for ever', async () => {
    const typing = setInterval(type, TIMES.pause / 4);
    try {
      await saved(1);
    } finally {
      clearInterval(typing);
    }
  });

  it('tries again what failed for a time, and not what the server refused', async () => {
    form.failures = [TEMPORARY, TEMPORARY, TEMPORARY];
    type();
    await saved(4);
    expect(form.changed.value.size).to.equal(0);
    form.failures = [new Error('refused')];
    type();
    await saved(5);
    expect(autosave.willRetry.value).to.equal(false);
    type();
    await saved(6);
    expect(form.changed.value.size).to.equal(0);
  });

  it('saves when it ends, and never after that', async () => {
    type();
    await autosave.stop();
    expect(form.saves).to.deep.equal([{ isLeaving: true }]);
    type();
    await new Promise((resolve) => setTimeout(resolve, 2 * TIMES.pause));
    expect(form.saves).to.have.length(1);
  });

  it('saves nothing for a person who may not', async () => {
    isAllowed = false;
    type();
    expect(await autosave.saveNow()).to.equal(false);
    await autosave.stop();
    expect(form.saves).to.deep.equal([]);
  });
});

describe('what others saved', () => {
  let reads: number;
  let failures: unknown[];
  let reading: Reading;
  const form = {
    async reload() {
      reads += 1;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
  };
  beforeEach(() => {
    [reads, failures] = [0, []];
    reading = new Reading(form as unknown as ItemForm, {
      isTemporary: (error) => error === TEMPORARY,
      times: TIMES,
    });
  });
  afterEach(() => reading.stop());
  const later = () => new Promise((resolve) => setTimeout(resolve, 3 * TIMES.longestAgain));

  it('is read again where a read failed for a time, until one succeeds', async () => {
    failures = [TEMPORARY, TEMPORARY, TEMPORARY];
    await reading.readNow();
    expect(reading.willRetry.value).to.equal(true);
    await until(() => reads === 4 && !reading.willRetry.value);
    await later();
    expect(reads).to.equal(4);
  });

  it('is not read again where the server refuses it', async () => {
    failures = [new Error('refused')];
    await reading.readNow();
    await later();
    expect(reads).to.equal(1);
  });

  it('is not read again for a form that was closed, also while a read was away', async () => {
    failures = [TEMPORARY, TEMPORARY];
    await reading.readNow();
    const last = reading.readNow();
    reading.stop();
    await last;
    await later();
    expect(reads).to.equal(2);
  });
});

describe('copies in the browser', () => {
  const element = (value: string): UnsavedElement => ({
    mine: { element: { id: 'a' }, value },
    base: { element: { id: 'a' }, value: null },
    name: 'A',
  });
  const form = (browser: BrowserOfTest, variant = 'ada item en') => {
    const state = { changed: [] as UnsavedElement[], hasCopy: undefined as boolean | undefined, looks: 0 };
    const copies = new LocalCopies<UnsavedElement>(browser, {
      of: variant,
      changed: () => state.changed,
      onResult: (hasCopy) => {
        state.hasCopy = hasCopy;
      },
      onClosed: () => {
        state.looks += 1;
      },
    });
    return { state, copies };
  };

  it('of two tabs are two: a saving in one keeps that of the other', async () => {
    const browser = new BrowserOfTest();
    const [one, other] = [form(browser), form(browser)];
    one.state.changed = [element('one')];
    other.state.changed = [element('other')];
    await one.copies.write();
    await other.copies.write();
    one.state.changed = [];
    await one.copies.write();
    expect([...browser.stored.values()].map(({ elements }) => elements)).to.deep.equal([[element('other')]]);
    expect(await one.copies.found(), 'of an open tab').to.equal(undefined);
    other.copies.close();
    expect((await one.copies.found())?.elements).to.deep.equal([element('other')]);
    expect(await form(browser, 'ada item de').copies.found(), 'another language').to.equal(undefined);
  });

  it('of a closed form are found by one of two tabs, and by the other one where that is closed', async () => {
    const browser = new BrowserOfTest();
    const [before, one, other] = [form(browser), form(browser), form(browser)];
    before.state.changed = [element('before')];
    await before.copies.write();
    before.copies.close();
    const found = await Promise.all([one, other].map(({ copies }) => copies.found()));
    expect(found.map((copy) => copy?.elements)).to.deep.equal([[element('before')], undefined]);
    expect((await one.copies.found())?.elements, 'again').to.deep.equal([element('before')]);
    one.copies.close();
    await until(() => other.state.looks === 1);
    expect((await other.copies.found())?.elements).to.deep.equal([element('before')]);
    await other.copies.dropFound();
    expect(browser.stored.size).to.equal(0);
  });

  it('of a form that is open elsewhere are looked for once it is closed', async () => {
    const browser = new BrowserOfTest();
    const [before, after, closed] = [form(browser), form(browser), form(browser)];
    before.state.changed = [element('of the page before')];
    await before.copies.write();
    for (const { copies } of [after, after, closed])
      expect(await copies.found(), 'of an open form').to.equal(undefined);
    closed.copies.close();
    expect(after.state.looks).to.equal(0);
    before.copies.close();
    await until(() => after.state.looks === 1);
    expect((await after.copies.found())?.elements).to.deep.equal([element('of the page before')]);
    expect(closed.state.looks).to.equal(0);
  });

  it('are looked for by a tab that was open before them, once their form is closed', async () => {
    const browser = new BrowserOfTest();
    const [first, of] = [form(browser), form(browser, 'ada item de')];
    expect(await first.copies.found()).to.equal(undefined);
    const later = form(browser);
    later.state.changed = [element('later')];
    await later.copies.write();
    expect(first.state.looks, 'while it is open').to.equal(0);
    later.copies.close();
    await until(() => first.state.looks === 1);
    expect((await first.copies.found())?.elements).to.deep.equal([element('later')]);
    expect(of.state.looks, 'another language').to.equal(0);
  });

  it('are not held by a form that was closed while it looked for them', async () => {
    const browser = new BrowserOfTest();
    browser.stored.set('ada item en', { at: '2026-01-01', elements: [element('before')] });
    const [closed, next] = [form(browser), form(browser)];
    const claim = browser.claim.bind(browser);
    browser.claim = async (key) => {
      const release = await claim(key);
      closed.copies.close();
      return release;
    };
    expect(await closed.copies.found()).to.equal(undefined);
    browser.claim = claim;
    expect((await next.copies.found())?.elements).to.deep.equal([element('before')]);
  });

  it('are found one after the other, the oldest first, and removed when they are taken over', async () => {
    const browser = new BrowserOfTest();
    const times = ['2026-01-02', '2026-01-01'];
    for (const at of times) browser.stored.set(`ada item en ${at}`, { at, elements: [element(at)] });
    browser.stored.set('ada item en', { at: '2025-01-01', elements: [element('of an earlier version')] });
    const { copies } = form(browser);
    const found = [];
    for (let copy = await copies.found(); copy; copy = await copies.found()) {
      found.push(copy.at);
      await copies.dropFound();
    }
    expect(found).to.deep.equal(['2025-01-01', '2026-01-01', '2026-01-02']);
    expect(browser.stored.size).to.equal(0);
  });

  it('belong to the person who goes on, and what was found for the one before stays theirs', async () => {
    const browser = new BrowserOfTest();
    const [left, open] = [form(browser), form(browser)];
    left.state.changed = [element('left')];
    await left.copies.write();
    left.copies.close();
    open.state.changed = [element('open')];
    await open.copies.write();
    expect((await open.copies.found())?.elements).to.deep.equal([element('left')]);
    await open.copies.moveTo('grace item en');
    const ofPersons = () =>
      [...browser.stored].map(([key, { elements }]) => [key.split(' ')[0], elements[0]?.mine.value]);
    expect(ofPersons()).to.deep.equal([
      ['ada', 'left'],
      ['grace', 'open'],
    ]);
    open.state.changed = [element('later')];
    await open.copies.write();
    expect(ofPersons()).to.deep.include(['grace', 'later']).and.to.have.length(2);
    expect(await open.copies.found()).to.equal(undefined);
    expect((await form(browser).copies.found())?.elements).to.deep.equal([element('left')]);
  });

  it('of the person before stay where the browser has no space for another', async () => {
    const browser = new BrowserOfTest();
    const { state, copies } = form(browser);
    state.changed = [element('one')];
    await copies.write();
    browser.isFull = true;
    await copies.moveTo('grace item en');
    expect(state.hasCopy).to.equal(false);
    expect((await form(browser).copies.found())?.elements).to.deep.equal([element('one')]);
  });

  it('are reported as missing where the browser has no space, and as kept once it has', async () => {
    const browser = new BrowserOfTest();
    const { state, copies } = form(browser);
    browser.isFull = true;
    state.changed = [element('one')];
    expect(await copies.write()).to.equal(false);
    expect(state.hasCopy).to.equal(false);
    browser.isFull = false;
    copies.schedule();
    await until(() => state.hasCopy === true);
    expect(browser.stored.size).to.equal(1);
  });
});
