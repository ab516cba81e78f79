import { readFileSync } from 'node:fs';
import { programFolder } from './program-folder.ts';

let version: string | undefined;

/** `version` of `package.json`. */
export function programVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  const description = readFileSync(new URL('package.json', programFolder()), 'utf8');
  return (JSON.parse(description) as { version: string }).version;
}

const NUMERIC = new Intl.Collator('en', { numeric: true });

/** Whether a version (`1.10.0`) is older than another one. */
export function isOlder(one: string, than: string): boolean {
  return NUMERIC.compare(one, than) < 0;
}
