import { Cancellation, type CoreRequest, type Surface } from '../../core/contract.ts';
import type { GatewayContext, PluginServices } from '../contract.ts';
import { onDisconnect } from '../http/client-disconnect.ts';
import { textFromCore } from './read-from-core.ts';
import { target } from './target.ts';

/**
 * How long the page waits for them, in milliseconds. They take 5 to 10 ms, which a browser needs to start the process of
 * the page anyway.
 */
const LONGEST_MS = 200;

const LIST = /^\/projects\/([\w-]{1,60})\/content$/;

/**
 * The answers to the first calls of the content list, for a page that a person opens: the list is drawn without a
 * further call. They are those of core to the same calls, and have the same limits.
 * @returns JSON, an object by the path of the call below `/api`; undefined for another page, for someone who is not
 *   signed in, and where core does not answer all of them in time: then the page asks for them itself
 */
export async function firstAnswers(
  ctx: GatewayContext,
  services: Pick<PluginServices, 'core' | 'ids'>,
): Promise<string | undefined> {
  const { surface, principal } = ctx.state;
  const [, project] = LIST.exec(surface.path) ?? [];
  // What the query selects depends on the zone of the browser, too.
  if (project === undefined || surface.query !== '' || ctx.method !== 'GET') return undefined;
  // Only for a page that is shown: nothing that another page embeds has them.
  if (principal?.kind !== 'session' || ctx.get('sec-fetch-dest') !== 'document') return undefined;
  const signal = new Cancellation();
  const end = () => signal.abort(new Error('The page does not wait for its first answers any longer.'));
  const timer = setTimeout(end, LONGEST_MS);
  const stopListening = onDisconnect(ctx.res, end);
  try {
    const calls = [
      'session',
      `admin/projects/${project}/content?offset=0&limit=50`,
      `manage/projects/${project}/types`,
      `manage/projects/${project}/languages`,
    ];
    const answers = await Promise.all(
      calls.map(async (call) => {
        const text = await textFromCore(services, { ...requestOf(call, ctx.state), principal, signal });
        return `${JSON.stringify(call)}:${text}`;
      }),
    );
    return `{${answers.join(',')}}`;
  } catch {
    // The page asks again, and says what is wrong. No one needs the other answers.
    end();
    return undefined;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

function requestOf(
  call: string,
  { bases }: GatewayContext['state'],
): Pick<CoreRequest, 'surface' | 'path' | 'query' | 'bases'> {
  const [path = '', query = ''] = call.split('?');
  const own = { name: 'console', path: `/api/${path}`, query } as const;
  const { name, ...rest } = target(own) ?? own;
  const surface = name as Surface;
  return { ...rest, surface, bases: { self: bases[surface], assets: bases.assets, console: bases.console } };
}
