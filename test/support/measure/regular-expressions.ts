import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = ['config', 'core', 'gateway', 'plugins', 'workers'];

/** A literal: after a token that no division can follow, to the slash that is neither escaped nor in a class. */
const LITERAL =
  /(?<=[=(,:[!&|?{;\n] *|return )\/(?![*/]|\$\{)((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/g;

export interface FoundExpression {
  /** `core/files/byte-range.ts` */
  readonly file: string;
  readonly expression: RegExp;
}

/** Every regular expression in the sources of the product. */
export async function regularExpressions(): Promise<FoundExpression[]> {
  const found: FoundExpression[] = [];
  for (const folder of FOLDERS) {
    for (const name of await readdir(join(ROOT, folder), { recursive: true })) {
      if (!/\.[jt]s$/.test(name)) continue;
      const file = join(folder, name);
      const source = await readFile(join(ROOT, file), 'utf8');
      for (const [, text = '', flags] of source.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '').matchAll(LITERAL))
        found.push({ file, expression: new RegExp(text, flags) });
    }
  }
  return found;
}

const ALWAYS = [
  ' ',
  '\t',
  '\n',
  'a',
  'A',
  '0',
  '-',
  '.',
  '_',
  '/',
  '"',
  ';',
  ',',
  '=',
  '%',
  ':',
  '<',
  '\u0301',
];

/**
 * Texts that make a backtracking matcher work, if anything does: the beginning of what matches, one character again
 * and again, and an end that does not match.
 */
export function* attacks({ source }: RegExp, length: number): Generator<string> {
  const literal = source
    .replaceAll(/\[(?:\\.|[^\]])*\]|\\[a-zA-Z](?:\{\w+\})?|\{\d*,?\d*\}|\(\?[:=!<]+|[()^$*+?|]/g, '')
    .replaceAll('\\', '');
  const pumps = new Set([...ALWAYS, ...literal]);
  for (let end = 0; end <= literal.length; end++)
    for (const pump of pumps)
      yield `${literal.slice(0, end)}${pump.repeat(Math.ceil(length / pump.length))}\u0001\n\u0001`;
}
