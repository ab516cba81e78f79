import type { Checkout } from './checkout.ts';
import { cleanEnvironment, start, variables } from './processes.ts';

const PROGRESS_MS = 5000;

/**
 * Runs one command of a checkout's command line over a data folder, in a process of its own.
 *
 * @param settings variables without their prefix
 * @returns the last line of its standard output as JSON, and what the process took
 */
export async function runCommand<Answer>(
  checkout: Checkout,
  folder: string,
  args: readonly string[],
  progress: (text: string) => void = () => {},
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: Answer; readonly seconds: number }> {
  const began = performance.now();
  const child = start(process.execPath, [checkout.program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: checkout.root,
    // With this variable the command runs the build as it is instead of looking whether it is up to date.
    env: cleanEnvironment({ ...variables({ DATA_DIR: folder, ...settings }), npm_lifecycle_event: 'bench' }),
  });
  let out = '';
  let errorOutput = '';
  child.stdout?.on('data', (chunk) => (out += chunk));
  child.stderr?.on('data', (chunk) => (errorOutput = (errorOutput + chunk).slice(-4000)));
  const timer = setInterval(() => {
    const line = errorOutput.trim().split('\n').at(-1);
    if (line) progress(`  ${line}`);
  }, PROGRESS_MS);
  const code = await new Promise((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  }).finally(() => clearInterval(timer));
  if (code !== 0) throw new Error(`headwater ${args.join(' ')} ended with ${code}: ${errorOutput}`);
  return {
    answer: JSON.parse(out.trim().split('\n').at(-1) ?? '') as Answer,
    seconds: (performance.now() - began) / 1000,
  };
}
