/**
 * The files that are shipped in `config/`: every setting as a comment with its default, and JSON Schemas for
 * editors. Both are generated from the schemas; a test compares.
 */
import { stringify } from 'yaml';
import type { z } from 'zod';
import { environmentName } from './environment.ts';
import { isLevel, outline, rulesOf, type SchemaNode } from './outline.ts';
import { settingsSchema } from './schema.ts';

const WIDTH = 110;

/** Contents by path below `config/`. */
export function defaultFiles(pluginSchemas: Readonly<Record<string, z.ZodType>>): Map<string, string> {
  const files = new Map<string, string>();
  files.set('headwater.yaml', settingsFile([], 'schemas/headwater.json', outline(settingsSchema)));
  files.set('schemas/headwater.json', editorSchema('Settings of Headwater', outline(settingsSchema)));
  for (const [name, schema] of Object.entries(pluginSchemas)) {
    const node = outline(schema);
    files.set(
      `plugins/${name}.yaml`,
      settingsFile(['plugins', name], `../schemas/plugins/${name}.json`, node),
    );
    files.set(`schemas/plugins/${name}.json`, editorSchema(`Settings of the plugin ${name}`, node));
  }
  return files;
}

function settingsFile(prefix: readonly string[], schema: string, node: SchemaNode): string {
  const subject =
    prefix.length === 0 ? 'Settings of the installation' : `Settings of the plugin ${prefix[1]}`;
  const example = environmentName([...prefix, 'group', 'oneSetting']);
  const settings = Object.entries(node.properties ?? {}).flatMap(([key, child]) => [
    '',
    ...lines(key, child, 0),
  ]);
  return `${[
    `# yaml-language-server: $schema=${schema}`,
    `# ${subject}: each with its default, which holds while the line is a comment. In the`,
    `# environment, oneSetting of group is ${example}.`,
    ...(settings.length > 0 ? settings : ['#', '# It has none.']),
  ].join('\n')}\n`;
}

/** Levels are no comments, settings are comments without a space after `#`: removing one `#` sets one setting. */
function lines(key: string, node: SchemaNode, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const about = wrap(
    [node.description ?? '', rulesOf(node)].filter((part) => part !== '').join(' '),
    WIDTH - indent.length - 2,
  );
  const comment = about.map((line) => `${indent}# ${line}`);
  if (isLevel(node)) {
    const children = Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
      lines(name, child, depth + 1),
    );
    return [...comment, `${indent}${key}:`, ...children];
  }
  const value = node.default === undefined ? '' : ` ${flow(node.default)}`;
  return [...comment, `${indent}#${key}:${value}`];
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}

function wrap(text: string, width: number): string[] {
  const result: string[] = [];
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const last = result.at(-1);
    if (last !== undefined && last.length + word.length < width)
      result[result.length - 1] = `${last} ${word}`;
    else result.push(word);
  }
  return result;
}

function editorSchema(title: string, node: SchemaNode): string {
  return `${JSON.stringify({ title, ...forEditors(node) }, null, 2)}\n`;
}

/** Without the marks of `meta`; a level may be null, as it is in the shipped file. */
function forEditors(node: SchemaNode): Record<string, unknown> {
  const {
    secret: _secret,
    path: _path,
    module: _module,
    live: _live,
    roles: _roles,
    properties,
    items,
    ...rest
  } = node;
  return {
    ...rest,
    ...(isLevel(node) ? { type: ['object', 'null'] } : {}),
    ...(items ? { items: forEditors(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, child]) => [key, forEditors(child)]),
          ),
        }
      : {}),
  };
}
