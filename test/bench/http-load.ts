/** Load by Debian's `wrk` (HTTP/1.1) and `h2load` (HTTP/2): the same request over and over. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { realProgram } from '../support/programs/real-program.ts';
import { temporaryFolder } from './datasets.ts';
import { cpuMilliseconds } from './process-usage.ts';

const run = promisify(execFile);

/** `wrk` calls it at the end; requests are sent and answers are parsed without it. */
const REPORT = `done = function(summary)
  local e = summary.errors
  io.write(string.format('\\n{"requests":%d,"bytes":%d,"microseconds":%d,"errors":%d}\\n', summary.requests,
    summary.bytes, summary.duration, e.connect + e.read + e.write + e.status + e.timeout))
end
`;
/** The end of a turn cuts answers, and the head has lines that Node adds. */
const LENGTH_DIFFERS = 0.05;
const LINES_OF_NODE = 110;
export const CONNECTIONS = 32;

export interface HttpLoad {
  /** With path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each answer has to be as long as this one, head included, where the load is to check it. */
  readonly answer?: { readonly headers: readonly string[]; readonly body: Uint8Array };
  readonly connections?: number;
}

export interface Turn {
  readonly perSecond: number;
  /** CPU of the server for a request, in milliseconds. */
  readonly cpu: number;
}

export type HttpTurn = (pid: number, load: HttpLoad) => () => Promise<Turn>;

/** Turns of `seconds` each, a whole number; `wrk` opens its connections anew for each. */
export async function startWrk(seconds: number): Promise<HttpTurn> {
  const program = await realProgram('wrk');
  const script = join(temporaryFolder(), 'report.lua');
  await writeFile(script, REPORT);
  return (pid, { url, headers = {}, answer, connections = CONNECTIONS }) =>
    async () => {
      const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, ...lines, url];
      const before = cpuMilliseconds(pid);
      const { stdout } = await run(program, args);
      const cpu = cpuMilliseconds(pid) - before;
      const said = JSON.parse(stdout.trim().split('\n').at(-1)!) as {
        readonly requests: number;
        readonly bytes: number;
        readonly microseconds: number;
        readonly errors: number;
      };
      if (said.errors > 0 || said.requests === 0) throw new Error(`${url}: ${stdout}`);
      const each = said.bytes / said.requests;
      const wanted = answer && answer.body.length + headLength(answer.headers);
      if (wanted !== undefined && Math.abs(each - wanted) > LINES_OF_NODE + LENGTH_DIFFERS * wanted) {
        throw new Error(`${url}: answers of ${each.toFixed(0)} bytes instead of ${wanted}.`);
      }
      return { perSecond: (said.requests / said.microseconds) * 1e6, cpu: cpu / said.requests };
    };
}

function headLength(headers: readonly string[]): number {
  return headers.reduce((sum, text) => sum + text.length + 2, 20);
}

const STREAMS = 32;

/** Turns of `requests` each over HTTP/2, with 32 streams on each connection. */
export async function startH2load(requests: number): Promise<HttpTurn> {
  const program = await realProgram('h2load');
  return (pid, { url, headers = {}, connections = CONNECTIONS }) =>
    async () => {
      const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
      const args = ['-t1', `-c${connections}`, `-m${STREAMS}`, `-n${requests}`, ...lines, url];
      const before = cpuMilliseconds(pid);
      const { stdout } = await run(program, args);
      const cpu = cpuMilliseconds(pid) - before;
      const perSecond = Number(/, ([\d.]+) req\/s/.exec(stdout)?.[1]);
      if (!stdout.includes(`status codes: ${requests} 2xx,`) || !(perSecond > 0)) {
        throw new Error(`${url}: ${stdout}`);
      }
      return { perSecond, cpu: cpu / requests };
    };
}
