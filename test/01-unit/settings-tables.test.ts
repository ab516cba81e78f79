import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { withSettingsTable } from '../../config/settings-table.ts';
import { plugins } from '../../plugins/registry.ts';

const FOLDER = join(import.meta.dirname, '../../plugins');

describe('the table of settings in a README', () => {
  for (const { name, settings } of plugins) {
    it(`of ${name} matches the schema (if not: npm run defaults)`, () => {
      const readme = readFileSync(join(FOLDER, name, 'README.md'), 'utf8');
      expect(readme).to.equal(withSettingsTable(readme, settings));
    });
  }

  const schema = z.strictObject({
    level: z
      .strictObject({ size: z.int().min(1).max(9).default(3).describe('How | many.') })
      .prefault({})
      .describe('A level.'),
    most: z.int().min(1).max(9).nullable().default(null).describe('At a time.'),
    mode: z.literal([false, 1, null, 'auto']).default(null).describe('How.'),
    price: z.string().default('$& $1').describe('In dollars.'),
  });
  const rows = [
    '| `level.size` | `3` | How \\| many. From 1 to 9. |',
    '| `most` | `null` | At a time. From 1 to 9. |',
    '| `mode` | `null` | How. One of false, 1, null, auto. |',
    '| `price` | `$& $1` | In dollars. |',
  ];

  it('replaces the text between the marks, and nothing else', () => {
    const before = '# a\n\n<!-- settings:begin -->\nold\n<!-- settings:end -->\n\nMore | text.\n';
    const after = withSettingsTable(before, schema);
    expect(after).to.include(rows.join('\n')).and.to.not.include('old');
    expect(after.startsWith('# a\n\n')).to.equal(true);
    expect(after.endsWith('<!-- settings:end -->\n\nMore | text.\n')).to.equal(true);
    expect(withSettingsTable(after, schema)).to.equal(after);
  });

  it('is added at the end of a file without marks', () => {
    expect(withSettingsTable('# a\n', schema)).to.match(
      /^# a\n\n<!-- settings:begin[\s\S]*settings:end -->\n$/,
    );
  });
});
