/** Settings of a store with an S3 API for the files of assets. */
import { z } from 'zod';
import { CORE_ROLES } from './role-settings.ts';

/** What `filesUrl` names. */
export interface FilesAddress {
  readonly bucket: string;
  /** With a slash at the end, or empty. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly pathStyle: boolean;
}

/** Undefined for what is no address of a bucket. */
export function parseFilesUrl(text: string): FilesAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) return undefined;
  if (url.username !== '' || url.password !== '' || url.port !== '' || url.hash !== '') return undefined;
  const {
    endpoint,
    region = 'us-east-1',
    pathStyle = 'false',
    ...others
  } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || !/^(true|false)$/.test(pathStyle) || !/^[\w-]{1,64}$/.test(region))
    return undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@\s]+\/?$/.test(endpoint)) return undefined;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region,
    pathStyle: pathStyle === 'true',
  };
}

export const filesSettings = {
  filesUrl: z
    .string()
    .refine(
      (text) => parseFilesUrl(text) !== undefined,
      'must be s3://bucket/prefix?endpoint=https://host&region=name&pathStyle=true, where all but the bucket may be left out',
    )
    .nullable()
    .default(null)
    .meta({
      roles: CORE_ROLES,
      description:
        'Bucket of the asset files, for example s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1&pathStyle=true; null = a folder.',
    }),
  files: z
    .strictObject({
      accessKeyId: z
        .string()
        .min(1)
        .nullable()
        .default(null)
        .describe(
          'Access key of filesUrl; null = what the machine has for it: environment variables, a file, or its role.',
        ),
      secretAccessKey: z
        .string()
        .min(1)
        .nullable()
        .default(null)
        .meta({ secret: true, description: 'The secret of that access key.' }),
      cacheBytes: z
        .int()
        .min(1_000_000)
        .default(1_073_741_824)
        .describe('Files of filesUrl that are kept in the data folder, in bytes.'),
    })
    .prefault({})
    .check(({ value, issues }) => {
      if ((value.accessKeyId === null) === (value.secretAccessKey === null)) return;
      const missing = value.accessKeyId === null ? 'accessKeyId' : 'secretAccessKey';
      issues.push({
        code: 'custom',
        path: [missing],
        message: 'must be set where the other half of the credentials is',
        input: null,
      });
    })
    .meta({ roles: CORE_ROLES, description: 'How the store of filesUrl is used.' }),
};
