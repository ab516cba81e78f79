import { readFileSync } from 'node:fs';
import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Problem } from './problem.ts';

/** One of the operator's files: its values with their lines. */
export interface YamlFile {
  /** Its name in messages. */
  readonly name: string;
  readonly value: Record<string, unknown>;
  readonly problems: readonly Problem[];
  has(path: readonly PropertyKey[]): boolean;
  /** Line of the setting, or of the nearest level above it that is in the file. */
  line(path: readonly PropertyKey[]): number;
}

/** In place of messages for programmers. */
const RULES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'names a setting twice',
  MULTIPLE_DOCS: 'begins a second document: remove the line ---',
};

/** Reads a file; an unreadable one, or one without a YAML map, is empty and has problems. */
export function readYamlFile(file: string, name: string): YamlFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return empty(name, [{ line: 1, rule: `cannot be read (${(error as NodeJS.ErrnoException).code})` }]);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const found = [...document.errors, ...document.warnings].map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    rule: RULES[error.code] ?? `is not valid YAML: ${error.message}`,
  }));
  if (found.length > 0) return empty(name, found);
  const content: unknown = document.contents;
  if (content !== null && !isMap(content) && !(isScalar(content) && content.value === null)) {
    return empty(name, [{ line: 1, rule: 'must hold settings as "name: value"' }]);
  }
  let value: Record<string, unknown>;
  try {
    value = (document.toJS() as Record<string, unknown> | null) ?? {};
  } catch (error) {
    return empty(name, [{ line: 1, rule: `is not valid YAML: ${(error as Error).message}` }]);
  }
  return {
    name,
    value,
    problems: [],
    has: (path) => document.hasIn(path),
    line: (path) => lineOf(content, path, lines),
  };
}

function lineOf(node: unknown, path: readonly PropertyKey[], lines: LineCounter): number {
  let line = 1;
  let current = node;
  for (const key of path) {
    if (isMap(current)) {
      const pair = current.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(key),
      );
      if (!pair) break;
      if (isNode(pair.key) && pair.key.range) line = lines.linePos(pair.key.range[0]).line;
      current = pair.value;
    } else {
      const next: unknown = isNode(current) && 'get' in current ? current.get(key, true) : undefined;
      if (!isNode(next)) break;
      if (next.range) line = lines.linePos(next.range[0]).line;
      current = next;
    }
  }
  return line;
}

function empty(name: string, found: readonly { line: number; rule: string }[]): YamlFile {
  const problems = found.map(
    ({ line, rule }) => ({ origin: { from: 'file', file: name, line }, path: '', rule }) as const,
  );
  return { name, value: {}, problems, has: () => false, line: () => 1 };
}
