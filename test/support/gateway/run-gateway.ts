import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsSchema } from '../../../config/schema.ts';
import type { Certificate } from '../../../gateway/listeners/certificate.ts';
import { createSelfSigned } from '../../../gateway/listeners/self-signed.ts';
import { type GatewayConfig, type RunningGateway, serve } from '../../../gateway/serve.ts';
import type { Clock, Log, Plugin } from '../../../plugins/contract.ts';
import { plugins as builtIn } from '../../../plugins/registry.ts';
import { freePort } from '../network/free-port.ts';
import { type FakeCore, fakeCore } from './fake-core.ts';

export { freePort };

export interface LogLine {
  readonly level: keyof Log;
  readonly part: string;
  readonly fields: Record<string, unknown>;
  readonly text: string;
}

export interface TestGateway extends RunningGateway {
  readonly core: FakeCore;
  readonly lines: LogLine[];
  readonly dataDir: string;
  /** A reload with these over the defaults; data folder and ports stay. */
  reloadWith(next: Pick<TestGatewayOptions, 'settings' | 'plugins' | 'own'>): Promise<void>;
  /** Closes it and removes its folder. */
  end(): Promise<void>;
}

export interface TestGatewayOptions {
  /** Over the defaults; host, ports and data folder are set already. */
  readonly settings?: Record<string, unknown>;
  /** By plugin name, over the defaults. */
  readonly plugins?: Record<string, Record<string, unknown>>;
  /** Beside the built-in ones. */
  readonly own?: readonly Plugin[];
  readonly tls?: boolean;
  /** It makes the certificate itself: 0.25 s of CPU. */
  readonly isFirstStart?: boolean;
  /** Switches the rate limit off. */
  readonly unlimited?: boolean;
  readonly clock?: Clock;
  /** Default: a new fake core. */
  readonly core?: FakeCore;
}

const DAY_MS = 86_400_000;
const UNLIMITED = { pipeline: { off: ['rate-limit'] } };

/** The whole gateway before a fake core, on free ports of 127.0.0.1. */
export async function runGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'headwater-gateway-'));
  if (options.tls && !options.isFirstStart) await writeCertificate(dataDir);
  const core = options.core ?? fakeCore();
  const lines: LogLine[] = [];
  const fixed = { dataDir, port: 0, tlsPort: options.tls ? await freePort() : 0, drainSeconds: 1 };
  const configOf = (given: Pick<TestGatewayOptions, 'settings' | 'plugins' | 'own'>): GatewayConfig => {
    const plugins = [...builtIn, ...(given.own ?? [])];
    const own: Record<string, Record<string, unknown>> = {
      'access-log': { file: join(dataDir, 'access.log') },
      ...given.plugins,
    };
    return {
      settings: settingsSchema.parse({ ...fixed, ...(options.unlimited && UNLIMITED), ...given.settings }),
      plugins,
      pluginSettings: Object.fromEntries(
        plugins.map(({ name, settings: schema }) => [name, schema.parse(own[name] ?? {})]),
      ),
    };
  };
  const clock = options.clock && { clock: options.clock };
  const gateway = await serve({ core, ...configOf(options), logFor: memoryLog(lines), ...clock });
  return {
    ...gateway,
    core,
    lines,
    dataDir,
    reloadWith: async (next) => (await gateway.prepare(configOf(next))).apply(),
    async end() {
      // No client waits for anything any more: the product would wait longer for what they might send.
      await gateway.close(50);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

let certificate: Promise<Certificate> | undefined;

/** One for all gateways of this process, as its first start would leave it in the data folder. */
export async function writeCertificate(dataDir: string): Promise<void> {
  const [from, until] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + 365 * DAY_MS)];
  certificate ??= createSelfSigned(['localhost', '127.0.0.1', '::1'], { from, until });
  const { cert, key } = await certificate;
  await mkdir(join(dataDir, 'tls'), { recursive: true });
  await writeFile(join(dataDir, 'tls/certificate.pem'), cert);
  await writeFile(join(dataDir, 'tls/key.pem'), key, { mode: 0o600 });
}

export function memoryLog(lines: LogLine[]): (part: string) => Log {
  return (part) => {
    const at =
      (level: keyof Log) =>
      (fields: object, text: string): void => {
        lines.push({ level, part, fields: fields as Record<string, unknown>, text });
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  };
}
