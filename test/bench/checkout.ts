/** A folder with the product's source, its build and its packages: what a benchmark starts services from. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment, ROOT } from './processes.ts';

export interface Checkout {
  readonly root: string;
  /** The file that `headwater` runs. */
  readonly program: string;
}

export const THIS_CHECKOUT = checkoutAt(ROOT);

const run = promisify(execFile);

/**
 * Another checkout with an up-to-date build. Only its npm scripts, its command line and its HTTP surface are used,
 * because its folders may differ from ours.
 *
 * @throws with the next step when the folder is no checkout, or cannot be built
 */
export async function openCheckout(path: string): Promise<Checkout> {
  const root = resolve(path);
  if (root === ROOT)
    throw new Error(`${root} is this checkout. Name another one: git worktree add ../before COMMIT`);
  const checkout = checkoutAt(root);
  if (!existsSync(join(root, 'node_modules')))
    throw new Error(`${root} has no node_modules. Run 'npm ci' there first.`);
  try {
    await run('npm', ['run', 'build', '--silent'], { cwd: root, env: cleanEnvironment() });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const said = `${stdout}${stderr}`.trim().slice(-2000) || (error as Error).message;
    throw new Error(`${root} cannot be built; 'npm run build' there says:\n${said}`);
  }
  return checkout;
}

/** The commit, with `+` when files differ from it; undefined outside of git. */
export async function commitOf({ root }: Checkout): Promise<string | undefined> {
  try {
    const commit = await run('git', ['-C', root, 'rev-parse', '--short=10', 'HEAD']);
    const changes = await run('git', ['-C', root, 'status', '--porcelain', '--untracked-files=no']);
    return `${commit.stdout.trim()}${changes.stdout.trim() === '' ? '' : '+'}`;
  } catch {
    return undefined;
  }
}

function checkoutAt(root: string): Checkout {
  const file = join(root, 'package.json');
  if (!existsSync(file)) throw new Error(`${root} is no checkout of headwater: it has no package.json.`);
  const { name, bin } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly name?: string;
    readonly bin?: Readonly<Record<string, string>>;
  };
  const program = bin?.['headwater'];
  if (name !== 'headwater' || program === undefined)
    throw new Error(`${root} is no checkout of headwater: its package.json says '${name}'.`);
  return { root, program: join(root, program) };
}
