import { ROLES } from '../../config/role-settings.ts';
import { closed, count, oneOf, orNull, text, time } from '../http/openapi-shapes.ts';
import { ok } from './call.ts';
import { lists, routesOf } from './route.ts';

const route = routesOf({ read: 'operator', write: 'operator' });

export const processRoutes = [
  route('GET processes', {
    id: 'listProcesses',
    summary: 'List the processes of the installation',
    description:
      'The cores that run at present, the one that answers first, and the gateways that follow their changes, each once. Processes with different versions or configurations are visible here. What other cores know is up to half a second old, and a core that was killed is listed for five seconds more.',
    answers: lists('processes', 'AdminProcess'),
    handler: async ({ operations }) => {
      const processes = await operations.processes();
      return ok({
        processes: processes.map(({ behind, ...process }) => ({ ...process, behind_ms: Math.round(behind) })),
      });
    },
  }),
];

export const processSchemas = {
  AdminProcess: closed(
    {
      role: oneOf(ROLES, 'What the process does.'),
      instance: text('Its name: the setting `instance`, or its host name and process id.'),
      version: text('Version of the program.'),
      started: time('When it was started.'),
      address: orNull(text('Where it answers; null as long as it does not listen.')),
      configuration: orNull(
        text(
          'Digest of its settings in effect, without secrets, addresses and paths; null where it has none.',
        ),
      ),
      protocol: orNull(count('Version of the protocol between gateways and cores; null in the role `all`.')),
      sequence: count('Sequence of the last commit that it has.'),
      behind_ms: count(
        'For how long it has lacked a later one, in milliseconds; 0 where it has the last one.',
      ),
    },
    'A process of the installation.',
  ),
};
