/** Test files that the product's pages name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = 'plugins/docs/page';

describe('the pages of the documentation', () => {
  it('name test files that exist', () => {
    const files = new Set(
      readdirSync(join(ROOT, 'test'), { recursive: true }).map((path) => String(path).split('/').at(-1)),
    );
    const named = readdirSync(join(ROOT, PAGES))
      .filter((page) => page.endsWith('.html'))
      .flatMap((page) => readFileSync(join(ROOT, PAGES, page), 'utf8').match(/[\w-]+\.test\.ts/g) ?? []);
    expect(named).to.not.have.length(0);
    expect([...new Set(named)].filter((name) => !files.has(name))).to.deep.equal([]);
  });
});
