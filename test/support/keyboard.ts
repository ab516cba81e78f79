import type { Page } from 'playwright-core';

/** More than any screen has. */
const LONGEST_WAY = 150;

/** The keys of a person who uses no mouse. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Moves the focus to the element with this name. */
  async to(name: string): Promise<void> {
    const passed: string[] = [];
    for (let step = 0; step < LONGEST_WAY; step += 1) {
      const focused = this.#page.locator(':focus');
      if ((await focused.count()) === 1) {
        const found = await nameOf(this.#page);
        if (found === name) return;
        passed.push(found);
      }
      await this.#page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not lead to '${name}', but to: ${[...new Set(passed)].join(' | ')}`);
  }

  async press(name: string, key: 'Enter' | 'Space'): Promise<void> {
    await this.to(name);
    await this.#page.keyboard.press(key);
  }

  async type(name: string, text: string): Promise<void> {
    await this.to(name);
    await this.#page.keyboard.type(text);
  }
}

/** Accessible name of the focused element, as far as the console names its elements. */
function nameOf(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const focused = document.activeElement;
    const label = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent;
    return label.trim();
  })()`) as Promise<string>;
}
