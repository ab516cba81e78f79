/**
 * A real Redis and a real Swift for all services of the process of the tests, or of several such processes; they end with the
 * process that started them.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { CreateBucketCommand, ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import type { EngineAddresses } from './engines-process.ts';
import { SWIFT_KEY, SWIFT_SECRET } from './run-swift.ts';

const BUCKET = 'headwater';
/** Names the installation that uses the prefix. */
const OWNER = 'headwater.json';

/** What one service uses of them: a prefix of its own. */
export interface TestEngines {
  /** Settings of cores and gateways. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of the files of assets in the bucket. */
  storedFiles(): Promise<string[]>;
}

/** Addresses, as JSON, of engines that several processes of tests share. */
const SHARED = 'HEADWATER_TEST_ENGINES';

let started: Promise<EngineAddresses & { readonly client: S3Client }> | undefined;
let services = 0;

export async function testEngines(): Promise<TestEngines> {
  started ??= open();
  const { redis, swift, client } = await started;
  const prefix = `service-${process.pid}-${++services}`;
  return {
    environment: {
      HEADWATER_REDIS_URL: redis,
      HEADWATER_REDIS__PREFIX: prefix,
      HEADWATER_FEED: 'redis',
      HEADWATER_FILES_URL: `s3://${BUCKET}/${prefix}?endpoint=${encodeURIComponent(swift)}&pathStyle=true`,
      HEADWATER_FILES__ACCESS_KEY_ID: SWIFT_KEY,
      HEADWATER_FILES__SECRET_ACCESS_KEY: SWIFT_SECRET,
    },
    async storedFiles() {
      const { Contents = [] } = await client.send(
        new ListObjectsCommand({ Bucket: BUCKET, Prefix: `${prefix}/` }),
      );
      const names = Contents.map(({ Key = '' }) => Key.slice(Key.lastIndexOf('/') + 1));
      return names.filter((name) => name !== OWNER);
    },
  };
}

export interface SharedEngines {
  /** For processes of tests that use these engines. */
  readonly environment: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

/** Engines for processes that this one starts. */
export async function shareEngines(): Promise<SharedEngines> {
  const { addresses, child } = await start();
  const exited = once(child, 'exit');
  return {
    environment: { [SHARED]: JSON.stringify(addresses) },
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

async function open(): Promise<EngineAddresses & { readonly client: S3Client }> {
  const given = process.env[SHARED];
  const addresses = given === undefined ? await startUnreferenced() : (JSON.parse(given) as EngineAddresses);
  const client = new S3Client({
    endpoint: addresses.swift,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: SWIFT_KEY, secretAccessKey: SWIFT_SECRET },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // On a busy machine Swift asks for patience.
    maxAttempts: 20,
  });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch((error: Error) => {
    if (error.name !== 'BucketAlreadyOwnedByYou') throw error;
  });
  return { ...addresses, client };
}

async function startUnreferenced(): Promise<EngineAddresses> {
  const { addresses, child } = await start();
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  return addresses;
}

async function start(): Promise<{
  readonly addresses: EngineAddresses;
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
}> {
  const child = spawn(
    process.execPath,
    ['--import=tsx', join(import.meta.dirname, 'engines-process.ts')],
    // An interrupt from the terminal is for the tests; the engines end when their standard input closes.
    { detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    once(child, 'exit').then(([code]) => {
      throw new Error(`Redis and Swift did not start (${code}); see the message above.`);
    }),
  ]);
  lines.close();
  return { addresses: JSON.parse(line) as EngineAddresses, child };
}
