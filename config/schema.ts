/**
 * The settings of the installation as a whole, with their defaults, units and rules. A plugin's own settings
 * live in its folder; they are handed to the loader and read from `plugins/<name>.yaml`.
 *
 * `meta({ secret: true })` keeps a value out of `headwater explain`; `meta({ path: true })` marks a file or
 * folder, `meta({ module: true })` a module: relative to the file it is written in, else to the working directory.
 * `meta({ live: true })`: a reload takes a change over. Without it a setting here needs a restart; a plugin's
 * settings are live unless they say `live: false`.
 */
import { z } from 'zod';
import { DEFAULT_CACHE_BYTES } from './image-limits.ts';
import { secretToken } from './secret-token.ts';
import { webhookSettings } from './webhook-settings.ts';
import { workerSettings } from './worker-settings.ts';

/** Every door of the service; `health`, `metrics`, `docs` and `console` are the gateway's own. */
export const SURFACES = [
  'delivery',
  'preview',
  'manage',
  'assets',
  'admin',
  'console',
  'docs',
  'health',
  'metrics',
] as const;

export const PHASES = ['observe', 'edge', 'identify', 'admit', 'reuse', 'forward'] as const;

const host = z
  .string()
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/,
    'must be a host name in lower case, without port',
  );

const prefix = z
  .string()
  .regex(/^(\/[A-Za-z0-9._~-]+)+$/, "must start with '/' and not end with one, for example /delivery");

const publicUrl = z
  .string()
  .regex(
    /^https?:\/\/[^/?#\s@]+(\/[^?#\s]*[^/?#\s])?$/,
    'must be an absolute http or https URL without a slash at its end, query, fragment, user name or password',
  )
  .refine((text) => URL.canParse(text), 'must be a URL with a host name and port that can exist');

const pluginName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'must be the name of a plugin, for example rate-limit');

function surface(name: (typeof SURFACES)[number], hosts: string[]) {
  return z
    .strictObject({
      prefix: prefix.default(`/${name}`).describe('Path it is answered under, on any host.'),
      hosts: z.array(host).default(hosts).describe('Host names it is answered on, without prefix.'),
      publicUrl: publicUrl
        .nullable()
        .default(null)
        .describe(
          'Base of its absolute URLs in answers; null = scheme, host and prefix the request came by.',
        ),
    })
    .prefault({})
    .describe(`Where the ${name} surface is found.`);
}

const surfaces = z
  .strictObject({
    delivery: surface('delivery', ['deliver.localhost']),
    preview: surface('preview', ['preview-deliver.localhost']),
    manage: surface('manage', ['manage.localhost']),
    assets: surface('assets', ['assets.localhost']),
    admin: surface('admin', []),
    console: surface('console', []),
    docs: surface('docs', []),
    health: surface('health', []),
    metrics: surface('metrics', []),
  })
  .prefault({})
  .check(({ value, issues }) => {
    const seen = new Map<string, string>();
    for (const name of SURFACES) {
      for (const place of [value[name].prefix, ...value[name].hosts]) {
        const other = seen.get(place);
        if (other) {
          const path = place.startsWith('/') ? [name, 'prefix'] : [name, 'hosts'];
          const message = `must differ from ${other}: two surfaces cannot both be at ${place}`;
          issues.push({ code: 'custom', path, message, input: place });
        }
        seen.set(place, `surfaces.${name}`);
      }
    }
  })
  .meta({
    live: true,
    description: 'Where each surface is found: by path prefix on any host, and by host name.',
  });

const tls = z
  .strictObject({
    certificate: z.string().min(1).nullable().default(null).meta({
      path: true,
      description: 'PEM file with the certificate chain; null = self-signed, made on the first start.',
    }),
    key: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .meta({ path: true, description: 'PEM file with the private key of that certificate.' }),
  })
  .prefault({})
  .check(({ value, issues }) => {
    if ((value.certificate === null) === (value.key === null)) return;
    const [missing, other] = value.key === null ? ['key', 'certificate'] : ['certificate', 'key'];
    const message = `must be given too, since tls.${other} is`;
    issues.push({ code: 'custom', path: [missing], message, input: null });
  })
  .meta({
    live: true,
    description: 'The certificate of the HTTPS listener; its files are read again by a reload.',
  });

const pipeline = z
  .strictObject({
    off: z.array(pluginName).default([]).describe('Plugins that are left out.'),
    own: z.array(z.string().min(1)).default([]).meta({
      module: true,
      description: 'Plugins of your own: a path that starts with ./, ../ or /, or the name of a package.',
    }),
    order: z
      .strictObject(
        Object.fromEntries(PHASES.map((phase) => [phase, phaseOrder(phase)])) as Record<Phase, PhaseOrder>,
      )
      .prefault({})
      .describe('Order inside a phase: the plugins named come first, in this order.'),
    surfaces: z
      .record(pluginName, z.array(z.enum(SURFACES)))
      .default({})
      .describe('Surfaces a plugin works on, by the name of the plugin, in place of its own choice.'),
  })
  .prefault({})
  .meta({ live: true, description: 'Which plugins a request passes, and in which order.' });

const perSurface = (period: string) =>
  z
    .strictObject(
      Object.fromEntries(
        (['delivery', 'preview', 'manage', 'assets'] as const).map((name) => [
          name,
          z.int().min(0).nullable().default(null).describe(`Calls of ${name} a project has a ${period}.`),
        ]),
      ) as Record<'delivery' | 'preview' | 'manage' | 'assets', z.ZodDefault<z.ZodNullable<z.ZodInt>>>,
    )
    .prefault({})
    .describe(`Calls a project has a ${period} (UTC), by surface; null = as many as come.`);

const ownLimit = z.int().min(0).nullable().optional();
const ownLimits = z
  .strictObject({ delivery: ownLimit, preview: ownLimit, manage: ownLimit, assets: ownLimit })
  .optional();

const quotas = z
  .strictObject({
    day: perSurface('day'),
    month: perSurface('month'),
    projects: z
      .record(z.guid('must be the id of a project'), z.strictObject({ day: ownLimits, month: ownLimits }))
      .default({})
      .describe('For one project in place of the above, by its id: {<id>: {month: {delivery: 100000}}}.'),
  })
  .prefault({})
  .describe('How many calls projects have; off unless set. Counted by the plugin usage.');

const cap = (least: number) => z.int().min(least).nullable().default(null);
const caps = z
  .strictObject({
    limit: cap(1).describe(
      'Largest limit of a listing; one without a limit has so many entries then. null = none.',
    ),
    depth: cap(0).describe('Largest depth of linked items; null = none.'),
    answerBytes: cap(1024).describe(
      'Largest answer, in bytes; a streamed one is held back until it is known to fit. null = none.',
    ),
    answerMilliseconds: cap(1).describe(
      'Longest time in which an answer must be ready, in milliseconds; null = none.',
    ),
    statementMilliseconds: z
      .int()
      .min(1)
      .nullable()
      .default(2000)
      .describe(
        'Longest time one statement of the database may run for a request, in milliseconds; then it is stopped and the answer is 503. null = none.',
      ),
    queryCost: z
      .int()
      .min(1000)
      .nullable()
      .default(3_000_000)
      .describe(
        'Most that one query may be estimated to cost before it runs, else the answer is 400. A unit is about a microsecond of one processor core: a condition costs 2 units for each item looked at, or 0.5 for each that it finds. null = any cost.',
      ),
  })
  .prefault({})
  .describe(
    'What one call of delivery or preview may ask for; off unless set, but for the time of a statement and the cost of a query.',
  );

type Phase = (typeof PHASES)[number];
type PhaseOrder = ReturnType<typeof phaseOrder>;

function phaseOrder(phase: string) {
  return z.array(pluginName).default([]).describe(`Plugins of the phase ${phase}.`);
}

const shape = z.strictObject({
  dataDir: z.string().min(1).default('data').meta({
    path: true,
    description: 'Folder of the database, asset files, generated certificate and first-run keys.',
  }),
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on; 0.0.0.0 or :: for all.'),
  port: z
    .int()
    .min(0)
    .max(65535)
    .default(8080)
    .describe('Plain HTTP, for local use and a proxy in front; 0 = any free port.'),
  tlsPort: z
    .int()
    .min(0)
    .max(65535)
    .default(8443)
    .describe('HTTPS with HTTP/2 and HTTP/1.1; 0 turns it off.'),
  tls,
  role: z.enum(['all', 'worker']).default('all').describe('What this process does.'),
  adminToken: secretToken.optional().meta({
    secret: true,
    description:
      'Bearer token of the admin API, 32 characters or more; made on the first start when not set.',
  }),
  sample: z.boolean().default(true).describe('Load the sample project into an empty data folder.'),
  vendor: z
    .strictObject({
      header: z
        .array(
          z.string().regex(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/, 'must be letters, digits and inner hyphens'),
        )
        .min(1, 'must name at least one')
        .default(['SVC'])
        .describe('The SVC of X-SVC-… headers: all are read, the first is used in answers.'),
      mediaType: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9.+-]*$/, 'must be the second half of a media type')
        .default('service')
        .describe('The service of application/service in rich text.'),
    })
    .prefault({})
    .describe('The vendor names that clients expect.'),
  management: z
    .strictObject({
      sitemapLocationsOptional: z
        .boolean()
        .default(false)
        .describe(
          'Version 2 takes a change of an item without sitemap_locations, as clients from 2020 on send it; the item stays where it is.',
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
    .describe('What the management API takes.'),
  publishing: z
    .strictObject({
      allowInvalid: z
        .boolean()
        .default(false)
        .describe(
          'Content that breaks limits of its type, or lacks a required value, can be published all the same.',
        ),
    })
    .prefault({})
    .describe('What can go public.'),
  delivery: caps,
  quotas,
  surfaces,
  allowedHosts: z.array(host).default([]).meta({
    live: true,
    description:
      'Host names of this service beside those of the surfaces and their public URLs; *.example.org for a whole domain. Once one is set, all others get 421, but for loopback names, IP addresses and /health.',
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
      description: 'Addresses and ranges of proxies whose X-Forwarded-For, -Proto and -Host are believed.',
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
    .describe('Mails about failing webhooks and expiring keys.'),
  images: z
    .strictObject({
      cacheBytes: z
        .int()
        .min(0)
        .default(DEFAULT_CACHE_BYTES)
        .describe('Bytes of transformed pictures that are kept on disk, below the data folder; 0 = none.'),
    })
    .prefault({})
    .describe('Transformation of pictures.'),
  webhooks: webhookSettings,
  workers: workerSettings,
  retention: z
    .strictObject({
      changeDays: z
        .int()
        .min(1)
        .nullable()
        .default(null)
        .describe(
          'Rows of the change log, the history of items among them, are kept so many days; null = for good.',
        ),
      revisionDays: z
        .int()
        .min(1)
        .nullable()
        .default(null)
        .describe(
          'Versions of content that are neither published nor a draft are kept so many days; null = for good.',
        ),
    })
    .prefault({})
    .describe('How long the past is kept.'),
  drainSeconds: z.number().min(0).max(3600).default(30).meta({
    live: true,
    description:
      'Longest time, in seconds, in which the service stops: running requests may finish in most of it.',
  }),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .meta({ live: true, description: 'Least grave log line that is written.' }),
  pipeline,
});

export const settingsSchema = shape.check(({ value, issues }) => {
  if (value.port === 0 || value.port !== value.tlsPort) return;
  const message = `must differ from port: one port cannot be plain HTTP and HTTPS`;
  issues.push({ code: 'custom', path: ['tlsPort'], message, input: value.tlsPort });
});

export type Settings = z.output<typeof settingsSchema>;
export type SurfaceName = (typeof SURFACES)[number];
