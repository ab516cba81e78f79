import type { Locator, Page } from 'playwright-core';
import { until } from '../until.ts';

/** More than any screen has. */
const LONGEST_WAY = 250;

/** The name of an element, as far as the console names its elements. */
const NAME_OF = `(element) =>
  (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim()`;

/** The keys of a person who uses no mouse. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Moves the focus to an element, or to the one with this name, once it is there and enabled. */
  async to(target: Locator | string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    if (typeof target === 'string') await until(() => this.#isShown(target));
    else await until(async () => (await target.isVisible()) && (await target.isEnabled()));
    const passed: string[] = [];
    for (let step = 0; step < LONGEST_WAY; step += 1) {
      const focused = await this.#page.evaluate<string>(`(${NAME_OF})(document.activeElement)`);
      if (typeof target === 'string' ? focused === target : await hasFocus(target)) return;
      passed.push(focused.slice(0, 40));
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
    return this.#page.evaluate<boolean>(`(() => {
      const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
      const kinds = ['a[href]', 'button', 'input', 'select', 'textarea', 'summary', '[tabindex]', '[contenteditable]'];
      return [...within.querySelectorAll(kinds.join())].some((element) =>
        !element.disabled && element.checkVisibility() && (${NAME_OF})(element) === ${JSON.stringify(name)});
    })()`);
  }
}

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate(
    (element: { ownerDocument: { activeElement: unknown } }) =>
      element === element.ownerDocument.activeElement,
  );
}
