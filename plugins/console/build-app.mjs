/**
 * Builds the web application into `.build/console`: chunks by screen, named by the hash of their content, compressed.
 * Plain JavaScript, because the preparation runs it on a fresh clone.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { isProgram } from '../../config/is-program.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const OUT = join(ROOT, '.build/console');
const APP = 'plugins/console/app';
const ADOPT_STYLE = JSON.stringify('./style/adopt-style.ts');

/**
 * Largest sizes of script and style in bytes, gzip: of what a person loads until the content list is shown, of what the
 * item editor adds, of everything without it, and of everything. The build fails beyond.
 */
const UNTIL_LIST = 60 * 1024;
const EDITOR = 150 * 1024;
const WITHOUT_EDITOR = 180 * 1024;
const WHOLE = 350 * 1024;

/**
 * First line of the script that draws the first screen: browsers that know it compile all functions beside the main thread,
 * while the page is read, not each one when it is first called. Until the content list was there at the second visit, the
 * main thread worked 78 ms instead of 92 (Chromium 150, 14 interleaved visits).
 */
const COMPILED_AHEAD = '//# allFunctionsCalledOnLoad\n';

async function buildApp() {
  const main = await bundle({
    entryPoints: [`${APP}/main.tsx`, `${APP}/style.css`],
    splitting: true,
    chunkNames: '[name]-[hash]',
    // As if each chunk imported the application: what it contains is one chunk then, not one for each set of screens.
    inject: [`${APP}/main.tsx`],
    plugins: [styleOfScripts],
    loader: { '.svg': 'dataurl' },
  });
  const { outputs } = main.metafile;
  const chunkOf = (name) =>
    Object.keys(outputs).find((path) => outputs[path].entryPoint === `${APP}/${name}`);
  // The entry point only imports the chunk with everything: the page names that chunk.
  const { imports, inputs } = outputs[chunkOf('main.tsx')];
  if (imports.length !== 1 || Object.keys(inputs).length > 0)
    throw new Error('The entry point of the console is expected to import one chunk and nothing else.');
  const [{ path: entry }] = imports;
  const style = chunkOf('style.css');
  const ofMain = neededFor(outputs, entry);
  const beside = (path) => [...neededFor(outputs, path)].filter((other) => !ofMain.has(other));
  const namesOf = (paths) => paths.map((path) => basename(path));
  const screens = Object.fromEntries(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) => {
      const [, screen] = /\/screens\/(?:.+\/)?([a-z-]+)\.tsx$/.exec(entryPoint ?? '') ?? [];
      return screen === undefined ? [] : [[screen, namesOf(beside(path))]];
    }),
  );
  const early = await bundle({
    entryPoints: [`${APP}/early.ts`],
    format: 'iife',
    define: {
      SCREENS: JSON.stringify(screens),
      GERMAN: JSON.stringify(namesOf(beside(chunkOf('messages/de.ts')))),
    },
  });
  // Pages of custom elements load it: it is no part of the application.
  const element = await bundle({
    entryPoints: [`${APP}/custom-element/page-script.ts`],
    format: 'iife',
    target: 'es2018',
  });

  const [{ text: earlyText, contents: earlyBytes }] = early.outputFiles;
  if (/<\/script|<!--/i.test(earlyText))
    throw new Error('The script of the first calls cannot be part of the page.');
  const files = [...main.outputFiles, ...element.outputFiles].map(({ path, contents: built }) => {
    const name = basename(path);
    const contents = name === basename(entry) ? Buffer.concat([Buffer.from(COMPILED_AHEAD), built]) : built;
    return { name, contents, gzipped: gzipSync(contents, { level: 9 }) };
  });
  const sizes = new Map(files.map(({ name, gzipped }) => [name, gzipped.length]));
  const sizeOf = (names) => names.reduce((sum, name) => sum + sizes.get(name), 0);
  const untilList = namesOf([style, ...ofMain]);
  const inPage = gzipSync(earlyBytes, { level: 9 }).length;
  const first = sizeOf(untilList) + inPage;
  const editor = sizeOf(screens['item-editor'].filter((name) => !untilList.includes(name)));
  const whole = sizeOf([...sizes.keys()]) + inPage;
  refuseLarge('until the content list is shown', first, UNTIL_LIST);
  refuseLarge('for the item editor', editor, EDITOR);
  refuseLarge('without the item editor', whole - editor, WITHOUT_EDITOR);
  refuseLarge('in all', whole, WHOLE);
  const manifest = {
    early: earlyText,
    script: basename(entry),
    // What the script imports, and would be asked for only when it is there.
    imported: namesOf([...ofMain].filter((path) => path !== entry)),
    style: basename(style),
    icon: `data:image/svg+xml,${encodeURIComponent(readFileSync(join(ROOT, APP, 'style/mark.svg'), 'utf8'))}`,
    elementScript: namesOf(Object.keys(element.metafile.outputs))[0],
    files: [...sizes.keys()],
    first,
    editor,
    whole,
  };

  mkdirSync(dirname(OUT), { recursive: true });
  removeUnfinished();
  const folder = mkdtempSync(`${OUT}-`);
  for (const { name, contents, gzipped } of files) {
    writeFileSync(join(folder, name), contents);
    writeFileSync(join(folder, `${name}.gz`), gzipped);
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(contents));
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  // A temporary folder is only its owner's, and the service may run as another user.
  chmodSync(folder, 0o755);
  replace(folder);
}

function bundle(options) {
  return build({
    absWorkingDir: ROOT,
    outdir: OUT,
    write: false,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    metafile: true,
    entryNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    ...options,
    define: { 'process.env.NODE_ENV': '"production"', ...options.define },
  });
}

/** A sheet that a script imports is part of its chunk: it is loaded with the screen that needs it, and not before. */
const styleOfScripts = {
  name: 'style-of-scripts',
  setup({ onResolve, onLoad }) {
    // Relative, so that names of chunks do not depend on where the product is.
    onResolve({ filter: /\.css$/ }, ({ kind, path, resolveDir }) =>
      kind === 'import-statement'
        ? { path: relative(ROOT, join(resolveDir, path)), namespace: 'style' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'style' }, async ({ path }) => {
      const sheet = readFileSync(join(ROOT, path), 'utf8');
      const { code } = await transform(sheet, { loader: 'css', minify: true });
      return {
        contents: `import { adoptStyle } from ${ADOPT_STYLE}; adoptStyle(${JSON.stringify(code.trim())});`,
        resolveDir: join(ROOT, APP),
      };
    });
  },
};

/** Folders of builds that were killed; one that runs is newer. */
function removeUnfinished() {
  const dayBefore = Date.now() - 24 * 3600 * 1000;
  for (const name of readdirSync(dirname(OUT))) {
    const path = join(dirname(OUT), name);
    const isUnfinished = name.startsWith(`${basename(OUT)}-`);
    if (isUnfinished && statSync(path, { throwIfNoEntry: false })?.mtimeMs < dayBefore)
      rmSync(path, { recursive: true, force: true });
  }
}

/** Puts the folder in place of the former build. Another process may do the same at the same time: the last one stays. */
function replace(folder) {
  for (let attempts = 10; ; attempts -= 1) {
    try {
      renameSync(folder, OUT);
      return;
    } catch (error) {
      if (attempts === 0 || !['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error;
    }
    const former = `${folder}-former-${attempts}`;
    try {
      renameSync(OUT, former);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    rmSync(former, { recursive: true, force: true });
  }
}

/** A chunk and what it imports statically. */
function neededFor(outputs, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: other, kind } of outputs[path].imports)
    if (kind === 'import-statement') neededFor(outputs, other, found);
  return found;
}

function refuseLarge(what, bytes, most) {
  if (bytes <= most) return;
  throw new Error(
    `The script and style of the console have ${bytes} bytes (gzip) ${what}; ${most} are allowed.`,
  );
}

if (isProgram(import.meta.url)) await buildApp();
