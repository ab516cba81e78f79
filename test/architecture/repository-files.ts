/** The repository as the architecture tests see it: its files, and what each of them imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What `.gitignore` leaves out, and git itself. */
const OUTSIDE = new Set(['node_modules', '.build', 'data', '.git']);

/** Every file of the repository as a path from its root, with `/`. */
export function files(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !OUTSIDE.has(entry.name) && !entry.name.endsWith('.log'))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? files(path) : [path];
    });
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export interface Import {
  readonly from: string;
  readonly line: number;
  /** Path from the root for a file of the repository; else the package's name (`node:fs`, `@koa/router`). */
  readonly to: string;
  readonly isFile: boolean;
  /** Gone after the build: `import type`, `export type`. */
  readonly typeOnly: boolean;
  /** `import(…)` or `require(…)`: loaded when that line runs. */
  readonly dynamic: boolean;
}

const STATEMENT =
  /\b(?:import|export)\s+(type\s)?(?:[\w*\s{},$]+?\sfrom\s+)?(['"])([^'"\n]+)\2|\b(?:import|require)\s*\(\s*(['"`])([^'"`\n]+)\4/g;

/** Static, dynamic and re-exporting imports of a source file. */
export function importsOf(path: string, source = textOf(path)): Import[] {
  const code = withoutComments(source);
  return [...code.matchAll(STATEMENT)].map((match) => {
    const specifier = match[3] ?? match[5] ?? '';
    const isFile = specifier.startsWith('.');
    return {
      from: path,
      line: code.slice(0, match.index).split('\n').length,
      to: isFile ? posix.join(posix.dirname(path), specifier) : packageOf(specifier),
      isFile,
      typeOnly: match[1] !== undefined || /^(?:import|export)\s*\{(\s*type\s[^,}]+,?)+\s*\}/.test(match[0]),
      dynamic: match[5] !== undefined,
    };
  });
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Comments become blanks, so that an example in a doc block is no import; lines stay where they are. */
function withoutComments(source: string): string {
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return source.replaceAll(token, (text) => (text.startsWith('/') ? text.replaceAll(/[^\n]/g, ' ') : text));
}
