import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { runSwift, SWIFT_KEY, SWIFT_SECRET } from '../../support/programs/run-swift.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';
import { endWithAll } from '../processes.ts';
import { compared, median, takeTurns } from '../rounds.ts';

const MEGABYTE = 1024 * 1024;
const UPLOAD = 100 * MEGABYTE;
const BUCKET = 'bench';
const READERS = 500;
const CACHED = [
  ['100 kB', 100_000, 3000],
  ['2 MB', 2_000_000, 300],
] as const;

/** Asset files in a bucket: a real OpenStack Swift with its S3 API, whose time is part of both sides of an upload. */
export const s3Files: Measure = {
  name: 's3-files',
  about: `asset files in S3: an upload of 100 MB ÷ a bare S3 client; a cached file ÷ a folder; ${READERS} identical reads of a file that is not cached`,
  async run({ datasets, load, rounds, requests, progress }: Bench): Promise<readonly Figure[]> {
    const swift = await runSwift();
    endWithAll(() => swift.end());
    const client = new S3Client({
      endpoint: swift.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: SWIFT_KEY, secretAccessKey: SWIFT_SECRET },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      maxAttempts: 20,
    });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const common = { PLUGINS__LIMITS__BODY_BYTES: String(2 * UPLOAD) };
    const settings = {
      ...common,
      FILES_URL: `s3://${BUCKET}/site?endpoint=${swift.endpoint}&pathStyle=true`,
      FILES__ACCESS_KEY_ID: SWIFT_KEY,
      FILES__SECRET_ACCESS_KEY: SWIFT_SECRET,
    };
    const dataset = await datasets.copy(await datasets.of(1000), 'scale-s3');
    const twin = await datasets.twin(dataset);
    const bucket = await startManaged(dataset, settings);
    const folder = await startManaged(twin, common);

    const content = randomBytes(UPLOAD);
    let number = 0;
    const fresh = () => {
      content.writeUInt32LE(++number);
      return content;
    };
    const seconds = async (work: () => Promise<unknown>) => {
      const began = performance.now();
      await work();
      return (performance.now() - began) / 1000;
    };
    progress('uploads');
    const uploads = await takeTurns(Math.min(rounds, 5), {
      bare: () =>
        seconds(() =>
          client.send(new PutObjectCommand({ Bucket: BUCKET, Key: `bare/${++number}`, Body: fresh() })),
        ),
      bucket: () => seconds(() => upload(bucket, 'large.bin', fresh())),
      folder: () => seconds(() => upload(folder, 'large.bin', fresh())),
    });
    const figures: Figure[] = [
      {
        name: 'upload of 100 MB, bytes/s ÷ bare S3 client',
        ...compared(uploads.bare, uploads.bucket),
        unit: '×',
        target: { atLeast: 0.7 },
        detail: `${median(uploads.bucket).toFixed(2)} s; bare ${median(uploads.bare).toFixed(2)} s; into a folder ${median(uploads.folder).toFixed(2)} s`,
      },
    ];
    for (const [name, bytes, count] of CACHED) {
      progress(`reads of ${name}`);
      const file = randomBytes(bytes);
      const paths = {
        bucket: await assetPath(bucket, file),
        folder: await assetPath(folder, file),
      };
      const read = (service: ManagedService, path: string) => async () =>
        (await load.run({ port: service.port, path, connections: 8, requests: requests(count) })).perSecond;
      const reads = await takeTurns(rounds, {
        bucket: read(bucket, paths.bucket),
        folder: read(folder, paths.folder),
      });
      figures.push({
        name: `cached file of ${name}, requests/s ÷ folder`,
        ...compared(reads.bucket, reads.folder),
        unit: '×',
        target: { atLeast: 0.95 },
        detail: `${median(reads.bucket).toFixed(0)}/s ÷ ${median(reads.folder).toFixed(0)}/s`,
      });
    }
    progress('reads of a file that is not cached');
    const cold = await assetPath(bucket, randomBytes(MEGABYTE));
    await bucket.end();
    await rm(join(dataset.folder, 'files-cache'), { recursive: true });
    const restarted = await startManaged(dataset, settings);
    const before = await storeCalls(restarted);
    const statuses = await Promise.all(
      Array.from({ length: READERS }, async () => {
        const answer = await fetch(`http://127.0.0.1:${restarted.port}${cold}`);
        return answer.ok ? (await answer.arrayBuffer()).byteLength : answer.status;
      }),
    );
    const wrong = statuses.find((bytes) => bytes !== MEGABYTE);
    if (wrong !== undefined) throw new Error(`A read was answered with ${wrong}.`);
    figures.push({
      name: `${READERS} identical reads of a file that is not cached: calls of the bucket`,
      value: (await storeCalls(restarted)) - before,
      unit: 'queries',
      target: { atMost: 1 },
    });
    client.destroy();
    return figures;
  },
  compare: { leftOut: 'an earlier version has no S3' },
};

/** By the client that the bare S3 client uses: `fetch` takes longer to send 100 MB. */
async function upload(
  service: ManagedService,
  name: string,
  content: Uint8Array,
): Promise<{ readonly id: string }> {
  const call = request({
    port: service.port,
    path: `${service.base}/files/${name}`,
    method: 'POST',
    headers: {
      authorization: service.headers['Authorization'],
      'content-type': 'application/octet-stream',
      'content-length': content.byteLength,
    },
  });
  call.end(content);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const body = await text(answer);
  if (answer.statusCode !== 200)
    throw new Error(`The upload was answered with ${answer.statusCode}: ${body}`);
  return JSON.parse(body);
}

/** Makes an asset of the content. @returns the path of its file */
async function assetPath(service: ManagedService, content: Uint8Array): Promise<string> {
  const { id } = await upload(service, 'file.bin', content);
  await service.call('POST', '/assets', {
    file_reference: { id, type: 'internal' },
    title: 'File',
    descriptions: [],
  });
  return `/assets/${service.project}/${id}/file.bin`;
}

/** Calls of the bucket that fetched objects. */
async function storeCalls({ port }: ManagedService): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const [, count] = /^headwater_files_store_calls_total\{.*kind="get".*\} (\d+)$/m.exec(text) ?? [];
  if (count === undefined) throw new Error('The service has no metric of the calls of its bucket.');
  return Number(count);
}
