import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What a folder needs, beside packages, for a built program to serve from it. */
export const PROGRAM_FILES = [
  '.build',
  'config',
  'core',
  'gateway',
  'plugins',
  'workers',
  'package.json',
  'package-lock.json',
];

/**
 * Copies files and folders of the repository, each to its place in `folder`. By a program, since a copy by Node takes
 * ten times the CPU.
 */
export async function copyProgram(paths: readonly string[], folder: string): Promise<void> {
  const isPart = (path: string) => paths.some((other) => path.startsWith(`${other}/`));
  await promisify(execFile)('cp', ['-R', '--parents', ...paths.filter((path) => !isPart(path)), folder], {
    cwd: join(import.meta.dirname, '../../..'),
  });
}
