import type { Ended } from './run-headwater.ts';

/** Runs a command line in this process, with the settings of `environment` alone. */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder = process.cwd(),
): Promise<Ended> {
  const lines = { out: '', err: '' };
  // As in the program, where commands import core when they run: one copy of each module.
  const { runWords } = await import('../../../gateway/cli/main.ts');
  const code = await runWords(words, {
    environment,
    folder,
    terminal: {
      out(line) {
        lines.out += `${line}\n`;
      },
      err(line) {
        lines.err += `${line}\n`;
      },
      progress(line) {
        lines.err += `${line}\n`;
      },
    },
  });
  return { code, ...lines };
}
