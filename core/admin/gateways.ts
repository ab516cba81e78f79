import { arrayOf, closed, count, flag, mapOf, orNull, text, time } from '../http/openapi-shapes.ts';
import { type Answer, type Call, ok, timeIn } from './call.ts';
import { lists, query, routesOf, shows } from './route.ts';

const route = routesOf({ read: 'operator', write: 'operator' });

export const gatewayRoutes = [
  route('GET gateways', {
    id: 'listGateways',
    summary: 'Read pipeline, settings, figures and health of each gateway',
    description:
      'Each gateway answers for itself; one that takes longer than two seconds is left out, and so are those that follow another core alone where their reports are too long together (some 6 MB). Values of secret settings are `(secret)`.',
    answers: lists('gateways', 'AdminGateway'),
    handler: async ({ operations }) =>
      ok({ gateways: (await operations.processReports({ what: 'state', after: null })).gateways }),
  }),
  route('GET cores', {
    id: 'listCores',
    summary: 'Read settings, figures and health of each core in a process of its own',
    description:
      'Each core answers for itself; one that takes longer than three seconds is left out, and so is one of a version before 0.3.0. A process that is core and gateway is among the gateways. Values of secret settings are `(secret)`.',
    answers: lists('cores', 'AdminCore'),
    handler: async ({ operations }) =>
      ok({ cores: (await operations.processReports({ what: 'cores' })).cores }),
  }),
  route('GET gateways/requests', {
    id: 'listRecentRequests',
    summary: 'Read the last requests of each gateway',
    description:
      'Gateways keep their last 1,000 requests in memory for 30 seconds after each call of this: the first call begins it. They hold no query, header or body.',
    parameters: [query('after', 'Requests from this time on; ISO 8601; UTC without a zone.')],
    answers: shows(
      closed({
        gateways: arrayOf(
          closed({
            instance: text('Name of the gateway.'),
            requests: arrayOf(requestSchema(), 'The oldest first.'),
          }),
        ),
      }),
    ),
    handler: readRequests,
  }),
];

async function readRequests({ operations, query }: Call): Promise<Answer> {
  const after = timeIn(query, 'after');
  const { gateways } = await operations.processReports({
    what: 'requests',
    // With three digits of a second, as the requests have them.
    after: after === undefined ? null : new Date(after).toISOString(),
  });
  return ok({ gateways });
}

function requestSchema() {
  return closed(
    {
      number: count('Counts those that the process has kept.'),
      at: time('When it ended.'),
      id: orNull(text('The same as in `X-Request-ID`.')),
      surface: text('Surface; `none` where no surface has the path or host.'),
      method: text('Method.'),
      path: text('Path, without query; cut if it is long.'),
      status: {
        type: 'integer',
        description: 'Status; 499 where the client disconnected before there was one.',
      },
      ms: { type: 'number', description: 'Time in milliseconds.' },
      bytes: orNull(count('Length of the body.')),
      cache: orNull(text('What the cache did.')),
      limiter: orNull(text('What the rate limiter did.')),
      key: orNull(text('Id of the key.')),
      client: text('Address of the client.'),
    },
    'An ended request.',
  );
}

const milliseconds = (description: string) => orNull({ type: 'number', description });

const identitySchema = {
  instance: text('Its name.'),
  version: text('Version of the program.'),
  started: time('When it was started.'),
};
const settingsSchema = arrayOf(
  closed({
    path: text('`port`, `plugins.rate-limit.limits.second` …'),
    value: { description: 'The value in effect; `(secret)` for a secret one.' },
    origin: text('`default`, file and line, variable of the environment, or option.'),
    live: flag('A reload applies a change; otherwise it needs a restart.'),
  }),
  'Effective settings.',
);
const healthSchema = (description: string) =>
  closed(
    {
      ok: flag('It is ready.'),
      parts: mapOf(closed({ ok: flag('It works.'), detail: text('In words.') }), 'By name.'),
    },
    description,
  );

export const gatewaySchemas = {
  AdminGateway: closed(
    {
      ...identitySchema,
      pipeline: mapOf(
        arrayOf(text('Name of a plugin.')),
        'By surface, the plugins that a request passes, in this order.',
      ),
      settings: settingsSchema,
      figures: arrayOf(
        closed({
          surface: text('Surface.'),
          requests: count('Requests since the start.'),
          errors: count('Those that were answered with 5xx.'),
          p50_ms: milliseconds('Half of them took at most this many milliseconds.'),
          p95_ms: milliseconds('95 % of them took at most this many milliseconds.'),
          cache: mapOf(count('Requests.'), 'By what the cache did.'),
        }),
        'By surface; empty without the plugin `metrics`.',
      ),
      health: healthSchema('Health of its parts and of core.'),
    },
    'A gateway.',
  ),
  AdminCore: closed(
    {
      ...identitySchema,
      settings: settingsSchema,
      figures: arrayOf(
        closed({
          call: text('Surface or function that gateways call.'),
          running: count('Calls in progress.'),
          calls: count('Calls that ended since the start.'),
          failed: count('Those that ended by an unexpected error.'),
          mean_ms: milliseconds('Mean time until the answer, in milliseconds.'),
        }),
        'By what gateways call.',
      ),
      health: healthSchema('Health of its parts.'),
    },
    'A core in a process of its own.',
  ),
};
