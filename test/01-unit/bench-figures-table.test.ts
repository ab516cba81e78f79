import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BENCHMARKS } from '../bench/benchmarks.ts';
import { COLUMNS, figuresTable, NOT_MEASURED, tableIn, withTable } from '../bench/figures-table.ts';
import type { Report } from '../bench/report.ts';

const README = readFileSync(new URL('../bench/README.md', import.meta.url), 'utf8');
const MEASURES = BENCHMARKS.flatMap(({ name, measures }) => measures.map((one) => `${name} ${one.name}`));

const rowsOf = (table: string) =>
  table.split('\n').map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const REPORT: Report = {
  benchmark: 'delivery',
  started: '2030-01-02T03:04:05.000Z',
  quick: true,
  rounds: 3,
  machine: { cores: 2, cpu: 'A | Processor', node: 'v20.0.0', platform: 'linux x64', loadAverage: 0 },
  figures: [
    {
      measure: 'deep-page',
      name: 'one',
      value: 1.234,
      unit: '×',
      spread: [1, 2],
      target: { atMost: 8 },
      met: true,
    },
    { measure: 'deep-page', name: 'two', value: 123.4, unit: 'ms', target: { atLeast: 200 }, met: false },
  ],
  failures: [{ measure: 'second-start', reason: 'It did not\nstart.' }],
};

describe('the table of figures in the README of the benchmarks', () => {
  it('has the columns and the measures that there are, in their order', () => {
    const [head, , ...rows] = rowsOf(tableIn(README));
    expect(head).to.deep.equal([...COLUMNS]);
    expect([...new Set(rows.map(([measure]) => measure))]).to.deep.equal(MEASURES);
  });

  it('has a figure with its date and processor in each row, or says that there is none', () => {
    for (const [measure, figure, value, , , date, processor] of rowsOf(tableIn(README)).slice(2)) {
      if (figure === NOT_MEASURED) continue;
      expect(figure, measure).to.not.equal('');
      if (!figure?.startsWith('failed: ')) expect(value, measure).to.match(/^-?[\d.e+-]+ \S/);
      expect(date, measure).to.match(/^\d{4}-\d\d-\d\d(, quick run)?$/);
      expect(processor, measure).to.match(/, \d+ cores, Node v\d+/);
    }
  });

  it('is made of the figures of runs, failures and missed targets included', () => {
    const rows = rowsOf(figuresTable(BENCHMARKS, [REPORT]));
    const origin = ['2030-01-02, quick run', 'A \\| Processor, 2 cores, Node v20.0.0'];
    expect(rows.filter(([measure]) => measure === 'delivery deep-page')).to.deep.equal([
      ['delivery deep-page', 'one', '1.23 ×', '1.00 – 2.00', '≤ 8', ...origin],
      ['delivery deep-page', 'two', '123 ms', '', '≥ 200, missed', ...origin],
    ]);
    expect(rows.find(([measure]) => measure === 'delivery second-start')?.[1]).to.equal(
      'failed: It did not start.',
    );
    expect(rows.filter(([, figure]) => figure === NOT_MEASURED)).to.have.length(MEASURES.length - 2);
  });

  it('keeps the rows of measures that no run has', () => {
    const table = tableIn(README);
    const of = (text: string, measure: string) =>
      text.split('\n').filter((row) => row.startsWith(`| ${measure} |`));
    const merged = figuresTable(BENCHMARKS, [REPORT], table);
    for (const measure of MEASURES) {
      const isNew = ['delivery deep-page', 'delivery second-start'].includes(measure);
      expect(of(merged, measure), measure).to.deep.equal(
        of(isNew ? figuresTable(BENCHMARKS, [REPORT]) : table, measure),
      );
    }
  });

  it('replaces the text between its marks, and nothing else', () => {
    const table = figuresTable(BENCHMARKS, [REPORT]);
    const written = withTable(README, table);
    expect(tableIn(written)).to.equal(table);
    expect(withTable(written, tableIn(README))).to.equal(README);
    expect(() => withTable('# nothing', table)).to.throw('lacks the lines');
  });

  it('refuses figures of a measure that is not there any more', () => {
    const old = { ...REPORT, failures: [{ measure: 'gone', reason: '' }] };
    expect(() => figuresTable(BENCHMARKS, [old])).to.throw("no measure 'delivery gone'");
  });
});
