import { StartError } from '../../../config/start-error.ts';
import type { S3BucketOptions } from './s3-options.ts';

/** Codes of the network and of the store for failures that pass by themselves. */
const OUTAGES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ERR_STREAM_PREMATURE_CLOSE',
  'TimeoutError',
  'AbortError',
]);

export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** The code of the S3 API, for example `NoSuchKey`; else that of the network; else the name of the error. */
export function failedCode(error: unknown): string {
  const { code, Code, name } = error as { code?: unknown; Code?: unknown; name?: string };
  return [Code, code, name].find((text) => typeof text === 'string') as string;
}

/** The store, or the way to it, fails at present. */
export function isOutage(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined && status !== 200) return status >= 500 || status === 429;
  return OUTAGES.has(failedCode(error)) || OUTAGES.has((error as Error).name);
}

/** The store works: there is no such object or range, a condition does not hold, or it knows no conditions. */
export function isAnswer(error: unknown): boolean {
  return [404, 409, 412, 416, 501].includes(statusOf(error) ?? 0) && failedCode(error) !== 'NoSuchBucket';
}

/** Without the request and its signature, which errors of the library have as properties. */
export function describeFailure(error: unknown): string {
  const { message } = error as Error;
  const status = statusOf(error);
  const code = failedCode(error);
  const parts = [code === 'Error' ? undefined : code, status === undefined ? undefined : `status ${status}`];
  const known = parts.filter((part) => part !== undefined).join(', ');
  return known === '' || message.includes(code) ? message : `${message} (${known})`;
}

/** What an operator has to change; undefined for a failure that passes by itself. */
export function refusalOf(
  error: unknown,
  options: Pick<S3BucketOptions, 'bucket' | 'endpoint' | 'region'>,
): StartError | undefined {
  if (error instanceof StartError) return error;
  if (isOutage(error)) return undefined;
  return new StartError(sentence(error, options));
}

function sentence(
  error: unknown,
  { bucket, endpoint, region }: Pick<S3BucketOptions, 'bucket' | 'endpoint' | 'region'>,
): string {
  const status = statusOf(error);
  const code = failedCode(error);
  const server = endpoint ?? 'the endpoint';
  if (code === 'CredentialsProviderError')
    return `There are no credentials for the bucket '${bucket}'; set files.accessKeyId and files.secretAccessKey, or what the S3 client finds by itself (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, a role of the machine).`;
  if (code === 'NoSuchBucket') return `The bucket '${bucket}' does not exist; look at filesUrl.`;
  if (code === 'RequestTimeTooSkewed')
    return `The bucket '${bucket}' refuses the clock of this machine; synchronize it (NTP).`;
  if (code === 'AuthorizationHeaderMalformed' || status === 301 || status === 307)
    return `The bucket '${bucket}' is in another region than ${region}; look at filesUrl.`;
  if (status === 401 || status === 403)
    return `The bucket '${bucket}' may not be used with these credentials; look at files.accessKeyId, files.secretAccessKey and filesUrl.`;
  if (status === 400)
    return `The bucket '${bucket}' refuses the request, perhaps because of the region or the credentials; look at filesUrl.`;
  if (status !== undefined && status !== 200)
    return `What answers at ${server} is no S3 store (status ${status}); look at filesUrl.`;
  if (status === 200 || error instanceof SyntaxError)
    return `What answers at ${server} is no S3 store, or an object of another application has the name of ours in the bucket '${bucket}'; look at filesUrl.`;
  return `The bucket '${bucket}' cannot be used (${code}); look at filesUrl.`;
}
