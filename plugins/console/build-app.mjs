/**
 * Builds the web application into `.build/console`: chunks by screen, named by the hash of their content, compressed.
 * Plain JavaScript, because the preparation runs it on a fresh clone.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const OUT = join(ROOT, '.build/console');

/**
 * Largest sizes of script and style in bytes, gzip: of what a person loads until the content list is shown, of what the
 * item editor adds, of everything without it, and of everything. The build fails beyond.
 */
const UNTIL_LIST = 60 * 1024;
const EDITOR = 150 * 1024;
const WITHOUT_EDITOR = 180 * 1024;
const WHOLE = 350 * 1024;

export async function buildApp() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['plugins/console/app/main.tsx'],
    outdir: OUT,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    metafile: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  const files = [];
  let whole = 0;
  for (const path of Object.keys(metafile.outputs)) {
    const bytes = readFileSync(join(ROOT, path));
    const gzipped = gzipSync(bytes, { level: 9 });
    writeFileSync(join(ROOT, `${path}.gz`), gzipped);
    writeFileSync(join(ROOT, `${path}.br`), brotliCompressSync(bytes));
    files.push(basename(path));
    whole += gzipped.length;
  }
  const [entry, { cssBundle }] = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith('/main.tsx'),
  );
  const sizeOf = (paths) =>
    [...new Set(paths)].reduce((sum, path) => sum + readFileSync(join(ROOT, `${path}.gz`)).length, 0);
  const untilList = [
    ...neededFor(metafile, entry),
    ...neededFor(metafile, chunkOf(metafile, 'content-list.tsx')),
    cssBundle,
  ];
  const first = sizeOf(untilList);
  const editor = sizeOf(
    [...neededFor(metafile, chunkOf(metafile, 'item-editor.tsx'))].filter(
      (path) => !untilList.includes(path),
    ),
  );
  refuseLarge('until the content list is shown', first, UNTIL_LIST);
  refuseLarge('for the item editor', editor, EDITOR);
  refuseLarge('without the item editor', whole - editor, WITHOUT_EDITOR);
  refuseLarge('in all', whole, WHOLE);
  const manifest = { script: basename(entry), style: basename(cssBundle), files, first, editor, whole };
  writeFileSync(join(OUT, 'manifest.json'), JSON.stringify(manifest));
}

/** A chunk and what it imports statically. */
function neededFor({ outputs }, path, found = new Set()) {
  if (path === undefined || found.has(path)) return found;
  found.add(path);
  for (const { path: other, kind } of outputs[path].imports)
    if (kind === 'import-statement') neededFor({ outputs }, other, found);
  return found;
}

function chunkOf({ outputs }, name) {
  return Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith(`/${name}`));
}

function refuseLarge(what, bytes, most) {
  if (bytes <= most) return;
  throw new Error(
    `The script and style of the console have ${bytes} bytes (gzip) ${what}; ${most} are allowed.`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildApp();
