import { existsSync, readFileSync } from 'node:fs';

let version: string | undefined;

/** `version` of `package.json`. The build holds code only: the file is above it. */
export function programVersion(): string {
  version ??= readVersion();
  return version;
}

function readVersion(): string {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return (JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string }).version;
}

const NUMERIC = new Intl.Collator('en', { numeric: true });

/** Whether a version (`1.10.0`) is older than another one. */
export function isOlder(one: string, than: string): boolean {
  return NUMERIC.compare(one, than) < 0;
}
