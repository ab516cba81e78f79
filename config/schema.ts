/**
 * The settings of the installation, with their defaults, units and rules. Those of a plugin are in its folder; the
 * loader receives their schemas and reads `plugins/<name>.yaml`.
 *
 * `meta({ secret: true })` keeps a value, and a list or map that has it, out of `headwater explain`; `meta({ path: true })`
 * marks a file or folder, `meta({ module: true })` a module: relative to the file that names it, else to the working
 * directory. `meta({ live: true })`: a reload applies a change. Without it a setting here needs a restart; a plugin's
 * settings are live unless they have `live: false`. `meta({ roles })` names the roles that use a setting; without it, all do.
 */
import { z } from 'zod';
import { certificateFiles, checkPair } from './certificate-settings.ts';
import { deliverySettings } from './delivery-settings.ts';
import { dutySettings } from './duty-settings.ts';
import { filesSettings } from './files-settings.ts';
import { DEFAULT_CACHE_BYTES } from './image-limits.ts';
import { pipelineSettings } from './pipeline-settings.ts';
import { quotaSettings } from './quota-settings.ts';
import { checkRedis, redisSettings } from './redis-settings.ts';
import { retentionSettings } from './retention-settings.ts';
import { CORE_ROLES, checkRole, GATEWAY_ROLES, roleSettings } from './role-settings.ts';
import { secretToken } from './secret-token.ts';
import { hostName, surfaceSettings } from './surface-settings.ts';
import { webhookSettings } from './webhook-settings.ts';
import { workerSettings } from './worker-settings.ts';

const tls = z
  .strictObject(certificateFiles('self-signed, created on the first start'))
  .prefault({})
  .check(checkPair('tls'))
  .meta({
    live: true,
    roles: GATEWAY_ROLES,
    description: 'The certificate of the HTTPS listener; its files are read again by a reload.',
  });

function databaseAddress(description: string) {
  return z
    .string()
    .regex(/^postgres(?:ql)?:\/\/\S+$/, 'must be a postgres:// URL')
    .nullable()
    .default(null)
    .meta({ secret: true, roles: CORE_ROLES, description });
}

const shape = z.strictObject({
  dataDir: z.string().min(1).default('data').meta({
    path: true,
    description: 'Folder of the database, asset files, generated certificate and first-run keys.',
  }),
  databaseUrl: databaseAddress(
    'PostgreSQL 13 or newer, for example postgres://user:password@db.example.org:5432/headwater; of several hosts, separated by commas, the one that accepts writes is used. With sslmode=disable, or without sslmode, there is no TLS, with no-verify the certificate is not checked, and any other sslmode means verify-full. null = SQLite in the data folder.',
  ),
  databaseReplicaUrl: databaseAddress(
    'Read replicas of that database, for example postgres://user:password@replica-1:5432,replica-2:5432/headwater: plain delivery reads go to one that is less than 500 ms behind, everything else to the primary; null = none.',
  ),
  migrations: z.enum(['start', 'command']).default('start').meta({
    roles: CORE_ROLES,
    description:
      'When the schema of the database is made and brought up to date: start = by a core that starts; command = by the command migrate alone, and a core does not start on an older schema.',
  }),
  filesDir: z.string().min(1).nullable().default(null).meta({
    path: true,
    roles: CORE_ROLES,
    description:
      'Folder of the asset files, which several cores may share; null = files in the data folder, which belongs to one process.',
  }),
  ...filesSettings,
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .meta({
      roles: ['all', 'gateway', 'worker'],
      description: 'Address to listen on; 0.0.0.0 or :: for all.',
    }),
  port: z
    .int()
    .min(0)
    .max(65535)
    .default(8080)
    .meta({
      roles: ['all', 'gateway', 'worker'],
      description: 'Plain HTTP, for local use and a proxy in front; 0 = any free port.',
    }),
  tlsPort: z
    .int()
    .min(0)
    .max(65535)
    .default(8443)
    .meta({ roles: GATEWAY_ROLES, description: 'HTTPS with HTTP/2 and HTTP/1.1; 0 turns it off.' }),
  tls,
  ...roleSettings,
  ...redisSettings,
  adminToken: secretToken.optional().meta({
    secret: true,
    roles: CORE_ROLES,
    description:
      'Bearer token of the admin API, 32 characters or more; the same for every core of an installation; created on the first start when not set.',
  }),
  sample: z.boolean().default(true).meta({
    roles: CORE_ROLES,
    description: 'Load the sample project on the first start of an installation.',
  }),
  vendor: z
    .strictObject({
      header: z
        .array(
          z.string().regex(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/, 'must be letters, digits and inner hyphens'),
        )
        .min(1, 'must name at least one')
        .default(['SVC'])
        .describe('The SVC of X-SVC-… headers: requests may use any of them, responses have the first.'),
      mediaType: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9.+-]*$/, 'must be the second half of a media type')
        .default('service')
        .describe('The service of application/service in rich text.'),
    })
    .prefault({})
    .meta({ roles: ['all', 'gateway', 'core'], description: 'The vendor names that clients expect.' }),
  management: z
    .strictObject({
      sitemapLocationsOptional: z
        .boolean()
        .default(false)
        .describe(
          'Version 2 accepts a change of an item without sitemap_locations, as clients from 2020 on send it; the locations then stay.',
        ),
      jsonBytes: z
        .int()
        .min(65_536)
        .max(67_108_864)
        .default(8_388_608)
        .describe(
          'Largest JSON body of the management and admin APIs, in bytes; uploads of files and archives have limits of their own.',
        ),
    })
    .prefault({})
    .meta({ roles: CORE_ROLES, description: 'What the management API accepts.' }),
  publishing: z
    .strictObject({
      allowInvalid: z
        .boolean()
        .default(false)
        .describe(
          'Content that breaks limits of its type, or lacks a required value, can still be published.',
        ),
    })
    .prefault({})
    .meta({ roles: CORE_ROLES, description: 'What can be published.' }),
  delivery: deliverySettings,
  quotas: quotaSettings,
  surfaces: surfaceSettings,
  allowedHosts: z.array(hostName).default([]).meta({
    live: true,
    roles: GATEWAY_ROLES,
    description:
      'Host names of this service beside those of the surfaces and their public URLs; *.example.org for a whole domain. Once one is set, all other hosts get 421, except loopback names, IP addresses and /health.',
  }),
  trustedProxies: z
    .array(
      z.union(
        [z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()],
        'must be an IP address or a range such as 10.0.0.0/8',
      ),
    )
    .default([])
    .meta({
      live: true,
      roles: GATEWAY_ROLES,
      description: 'Addresses and ranges of proxies whose X-Forwarded-For, -Proto and -Host are trusted.',
    }),
  mail: z
    .strictObject({
      smtp: z
        .string()
        .regex(/^smtps?:\/\/\S+$/, 'must be an smtp:// or smtps:// URL')
        .refine((text) => URL.canParse(text), 'must be a URL with a host name that can exist')
        .nullable()
        .default(null)
        .meta({
          secret: true,
          description:
            'Mail server, for example smtp://user:password@mail.example.org:587; null = mails become files. A password is sent over TLS only, unless the URL ends in ?requireTLS=false.',
        }),
      from: z
        .string()
        .regex(/^[^\r\n]*[^\s@<]@[^\s@>]+>?$/, 'must be a mail address, with a name before it or without')
        .default('Headwater <headwater@localhost>')
        .describe('Sender of mails.'),
      folder: z.string().min(1).nullable().default(null).meta({
        path: true,
        description: 'Folder of the files where no server is given; null = mail in the data folder.',
      }),
    })
    .prefault({})
    .meta({ roles: CORE_ROLES, description: 'Mails about failing webhooks and expiring keys.' }),
  images: z
    .strictObject({
      cacheBytes: z
        .int()
        .min(0)
        .default(DEFAULT_CACHE_BYTES)
        .describe('Bytes of transformed images in the cache on disk, below the data folder; 0 = none.'),
    })
    .prefault({})
    .meta({ roles: CORE_ROLES, description: 'Transformation of images.' }),
  duties: dutySettings,
  webhooks: webhookSettings,
  workers: workerSettings,
  retention: retentionSettings,
  drainSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(30)
    .meta({
      live: true,
      roles: ['all', 'gateway', 'core'],
      description: 'Longest time of a shutdown, in seconds; running requests may finish in most of it.',
    }),
  stopNoticeSeconds: z
    .number()
    .min(0)
    .max(600)
    .default(0)
    .meta({
      live: true,
      roles: ['all', 'gateway'],
      description:
        'For so long a gateway that stops still serves while /health/ready answers 503, in seconds; at most half of drainSeconds. For balancers that ask for it, with a second more than their interval.',
    }),
  slowMilliseconds: z
    .int()
    .min(0)
    .max(3_600_000)
    .default(1000)
    .meta({
      roles: ['core'],
      description:
        'A call of a gateway that takes a core longer than this is a line in its log, at level warn, in milliseconds; 0 = none. Gateways have plugins/core-proxy.yaml for that.',
    }),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .meta({ live: true, description: 'Lowest level of log lines that are written.' }),
  pipeline: pipelineSettings,
});

export const settingsSchema = shape.check(({ value, issues }) => {
  if (value.port !== 0 && value.port === value.tlsPort) {
    const message = `must differ from port: one port cannot be plain HTTP and HTTPS`;
    issues.push({ code: 'custom', path: ['tlsPort'], message, input: value.tlsPort });
  }
  if (CORE_ROLES.includes(value.role) && value.databaseReplicaUrl !== null && value.databaseUrl === null) {
    const message = 'needs databaseUrl, the address of the primary';
    issues.push({ code: 'custom', path: ['databaseReplicaUrl'], message, input: null });
  }
  for (const problem of [...checkRole(value), ...checkRedis(value)])
    issues.push({ code: 'custom', ...problem, input: null });
});

export type Settings = z.output<typeof settingsSchema>;
