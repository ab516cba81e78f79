import { expect } from 'chai';
import { files, textOf } from './repository-files.ts';

const LONG = 'HEADWATER_TEST_LONG=1 mocha --timeout 0 ';
/** All others ask `isLongForm`. */
const NAMES_LONG = ['test/architecture/test-scripts.test.ts', 'test/04-api/topologies.test.ts'];
/** Files of the long form alone, and those that have their subjects in `npm test`. */
const WHOLLY_LONG: Readonly<Record<string, readonly string[]>> = {
  'test/04-api/failover.test.ts': [
    'test/03-adapters/postgres-failover.test.ts',
    'test/06-chaos/chaos.test.ts',
  ],
  'test/04-api/following-cores.test.ts': [
    'test/04-api/several-cores.test.ts',
    'test/04-api/topologies.test.ts',
  ],
  'test/04-api/held-database.test.ts': ['test/03-adapters/postgres-faults.test.ts'],
  'test/04-api/rolling-restart.test.ts': [
    'test/04-api/remote-processes.test.ts',
    'test/04-api/gateway-processes.test.ts',
    'test/04-api/http-drain.test.ts',
  ],
  'test/07-browser/publish-findings.test.ts': [
    'test/01-unit/console-form-findings.test.ts',
    'test/07-browser/item-saving.test.ts',
  ],
  'test/04-api/killed-cores.test.ts': [
    'test/04-api/manage-killed.test.ts',
    'test/04-api/webhook-faults.test.ts',
  ],
};
const { scripts } = JSON.parse(textOf('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const single = Object.keys(scripts).filter((name) => name.startsWith('test:') && name !== 'test:long');

describe('npm test', () => {
  it('runs each test file once', () => {
    const folders = [...(scripts['test'] ?? '').matchAll(/"test\/([\w-]+)\/\*\.test\.ts"/g)].map(
      ([, name]) => name,
    );
    const found = files()
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => path.split('/'));
    expect(found.filter((path) => path.length !== 3)).to.deep.equal([]);
    expect(folders.sort()).to.deep.equal([...new Set(found.map(([, folder]) => folder))].sort());
  });
});

describe('npm run test:long', () => {
  it('runs the long form of all tests', () => {
    expect(scripts['test:long']).to.equal(`${LONG}"test/**/*.test.ts"`);
  });

  it('runs all that the scripts of single long suites run', () => {
    expect(single).to.include('test:faults');
    for (const name of single) {
      const script = scripts[name] ?? '';
      expect(script.startsWith(LONG), `${name} begins with '${LONG}'`).to.equal(true);
      const patterns = script.slice(LONG.length).split(' ');
      for (const pattern of patterns) expect(pattern, name).to.match(/^"?test\/[\w./*-]+\.test\.ts"?$/);
    }
  });

  it('has no other files of its own than these, whose subjects others have in npm test', () => {
    const leavesNothing = (text: string) =>
      /^if \((?:hasAllTests|isLongForm)\b/m.test(text) ||
      (/\blong(?:Test|Job)\(/.test(text) && !/^ *(?:it|job)\(/m.test(text));
    const withoutShort = files()
      .filter((path) => path.startsWith('test/') && path.endsWith('.test.ts'))
      .filter((path) => leavesNothing(textOf(path)));
    expect(withoutShort.sort()).to.deep.equal(Object.keys(WHOLLY_LONG).sort());
    for (const short of Object.values(WHOLLY_LONG).flat()) expect(files()).to.include(short);
  });

  it('has no second variable that makes a test longer', () => {
    const others = files()
      .filter((path) => path.startsWith('test/') && path.endsWith('.test.ts') && !NAMES_LONG.includes(path))
      .flatMap((path) => [...textOf(path).matchAll(/HEADWATER_TEST_([A-Z]+)/g)].map(([, name]) => name))
      // These choose what is tested, not how much.
      .filter((name) => !['SEED', 'TOPOLOGY', 'FILES', 'DATABASE'].includes(name!));
    expect([...new Set(others)]).to.deep.equal([]);
  });

  it('finds the build made before each of these scripts', () => {
    for (const name of ['test:long', ...single])
      expect(scripts[`pre${name}`], name).to.equal('node gateway/cli/prepare.mjs');
  });
});
