import { expect } from 'chai';
import { files, importsOf, textOf } from './repository-files.ts';

const README = 'core/README.md';
const STEP = /`(core\/[\w/.-]+\.ts)` `(\w+)`/g;

describe('the paths that core/README describes', () => {
  for (const name of ['publish', 'listing']) {
    const section = new RegExp(`<!-- path:${name} -->([\\s\\S]*?)<!-- path:end -->`).exec(
      textOf(README),
    )?.[1];
    const steps = [...(section ?? '').matchAll(STEP)].map(([, path = '', symbol = '']) => ({ path, symbol }));

    it(`of one ${name} name existing files and their exports`, () => {
      expect(steps.length).to.be.greaterThan(5);
      const all = new Set(files('core'));
      for (const { path, symbol } of steps) {
        expect(all.has(path), path).to.equal(true);
        expect(textOf(path), path).to.match(
          new RegExp(`export (async )?(function|class|const|interface) ${symbol}\\b`),
        );
      }
    });

    it(`of one ${name} follow imports: each file is imported by one before it, or by the composition`, () => {
      const composition = files('core/compose').filter((path) => path.endsWith('.ts'));
      const reached = new Set(composition.flatMap((path) => importsOf(path).map(({ to }) => to)));
      for (const path of composition) reached.add(path);
      for (const { path } of steps) {
        const shown = [...reached].some((from) => from === path || imports(from).includes(path));
        expect(shown, `nothing before it imports ${path}`).to.equal(true);
        reached.add(path);
      }
    });
  }
});

function imports(path: string): string[] {
  return path.endsWith('.ts') && path.startsWith('core/') ? importsOf(path).map(({ to }) => to) : [];
}
