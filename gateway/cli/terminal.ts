/** Where a command prints: results on stdout, everything else on stderr. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
  /** A progress line: on a terminal it replaces the one before, elsewhere it is a line of its own. */
  progress(line: string): void;
  /** A person reads what is printed. */
  readonly isInteractive?: boolean;
}

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

export function openTerminal(stdout: Stream, stderr: Stream): Terminal {
  let rewriting = false;
  const settle = () => {
    if (rewriting) stderr.write('\n');
    rewriting = false;
  };
  return {
    isInteractive: stdout.isTTY === true,
    out: (line) => {
      settle();
      stdout.write(`${harmless(line)}\n`);
    },
    err: (line) => {
      settle();
      stderr.write(`${harmless(line)}\n`);
    },
    progress: (line) => {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${line}`);
        rewriting = true;
      } else {
        stderr.write(`${line}\n`);
      }
    },
  };
}

const SPACES: ReadonlySet<string> = new Set(['\n', '\t']);

/** What would control a terminal is shown in place of being sent: names and archives are written by others. */
function harmless(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) =>
    SPACES.has(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns as wide as their widest cell, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
