import type { Locator, Page } from 'playwright-core';
import { until } from '../until.ts';

/** More than any screen has. */
const LONGEST_WAY = 250;

/** The name of an element, as far as the console names its elements. */
const NAME_OF = `(element) =>
  (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim()`;

/** What the focus can be on; where a dialog is open, in the dialog. */
const REACHED = `(isStop) => {
  const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const kinds = ['a[href]', 'button', 'input', 'select', 'textarea', 'summary', '[tabindex]', '[contenteditable]'];
  return [...within.querySelectorAll(kinds.join())].filter((element) =>
    !element.disabled && element.checkVisibility({ visibilityProperty: true }) && isStop(element));
}`;

interface Place {
  /** Name of what has the focus. */
  readonly focused: string;
  readonly isReached: boolean;
  /** Stops that are left until shortly before the target or the end of the document; never too many where nothing changes. */
  readonly ahead: number;
}

/** @returns the `Place` of the focus on the way to an element, or to one with this name */
const PLACE = `(target, isBack) => {
  const nameOf = ${NAME_OF};
  const { activeElement } = document;
  const is = (element) => (typeof target === 'string' ? nameOf(element) === target : element === target);
  // Of a group of radio buttons, one is a stop.
  const isStop = (element) => element.tabIndex >= 0 && element.type !== 'radio' && !element.closest('[inert]');
  const stops = (${REACHED})((element) => element === activeElement || is(element) || isStop(element));
  if (isBack) stops.reverse();
  const from = stops.indexOf(activeElement);
  const to = stops.findIndex((element, at) => at > from && is(element));
  const ahead = from < 0 ? 0 : (to < 0 ? stops.length : to) - from - 1;
  return { focused: nameOf(activeElement), isReached: is(activeElement), ahead };
}`;

/** The keys of a person who uses no mouse. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Moves the focus to an element, or to the one with this name, once it is there and enabled. */
  async to(target: Locator | string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    if (typeof target === 'string') await until(() => this.#isShown(target));
    else {
      await target.waitFor();
      await until(() => target.isEnabled());
    }
    const passed: string[] = [];
    // Without a look at each stop: to the end of the document, and from its start.
    let leaps = 2;
    for (let step = 0; step < LONGEST_WAY; step += 1) {
      const { focused, isReached, ahead } = await this.#place(target, key === 'Shift+Tab');
      if (isReached) return;
      passed.push(focused.slice(0, 40));
      if (ahead > 0 && leaps > 0) {
        leaps -= 1;
        for (let more = 0; more < ahead; more += 1) await this.#page.keyboard.press(key);
      }
      await this.#page.keyboard.press(key);
    }
    throw new Error(`${key} does not lead to '${target}', but to: ${[...new Set(passed)].join(' | ')}`);
  }

  async press(target: Locator | string, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.to(target);
    await this.#page.keyboard.press(key);
  }

  /** @param replaces what the field has */
  async type(target: Locator | string, text: string, replaces = false): Promise<void> {
    await this.to(target);
    if (replaces) await this.#page.keyboard.press('Control+a');
    await this.#page.keyboard.type(text);
  }

  /** An element of the name can have the focus; where a dialog is open, in the dialog. */
  #isShown(name: string): Promise<boolean> {
    return this.#page.evaluate<boolean>(
      `(${REACHED})((element) => (${NAME_OF})(element) === ${JSON.stringify(name)}).length > 0`,
    );
  }

  #place(target: Locator | string, isBack: boolean): Promise<Place> {
    if (typeof target === 'string')
      return this.#page.evaluate<Place>(`(${PLACE})(${JSON.stringify(target)}, ${isBack})`);
    return target.evaluate<Place, boolean>(
      new Function('element', 'isBack', `return (${PLACE})(element, isBack)`) as never,
      isBack,
    );
  }
}
