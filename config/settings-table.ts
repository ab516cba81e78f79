/**
 * The table of a plugin's settings in its README, generated from the schema; a test compares the two.
 */
import { stringify } from 'yaml';
import type { z } from 'zod';
import { outline, rulesOf, type SchemaNode, settingsOf } from './outline.ts';

const BEGIN = '<!-- settings:begin; written by npm run defaults -->';
const END = '<!-- settings:end -->';
const MARKED = /<!-- settings:begin[^>]*-->[\s\S]*?<!-- settings:end -->/;

/** Puts the table between its marks, or at the end of a README without marks. */
export function withSettingsTable(readme: string, schema: z.ZodType): string {
  const block = [BEGIN, ...tableOf(schema), END].join('\n');
  // A function, because a default may contain `$`, which a replacement string interprets.
  if (MARKED.test(readme)) return readme.replace(MARKED, () => block);
  return `${readme.trimEnd()}\n\n${block}\n`;
}

function tableOf(schema: z.ZodType): string[] {
  const settings = settingsOf(outline(schema)).filter(({ path }) => path.length > 0);
  if (settings.length === 0) return ['It has no settings.'];
  return [
    '| Setting | Default | Meaning |',
    '|---|---|---|',
    ...settings.map(({ path, node }) => {
      const meaning = [node.description ?? '', rulesOf(node)].filter((part) => part !== '').join(' ');
      return `| \`${path.join('.')}\` | ${defaultOf(node)} | ${meaning.replaceAll('|', '\\|')} |`;
    }),
  ];
}

function defaultOf(node: SchemaNode): string {
  if (node.default === undefined) return 'not set';
  const text = stringify(node.default, {
    collectionStyle: 'flow',
    flowCollectionPadding: false,
    lineWidth: 0,
  });
  return `\`${text.trim().replaceAll('|', '\\|')}\``;
}
