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
