import { KEY_SLOTS } from '../../../core/contract.ts';
import type { Services } from '../../../core/http/services.ts';
import { type Call, type Command, requiredOption, UsageError } from '../command.ts';
import { daysOption } from '../days-option.ts';
import { printJson } from '../print.ts';
import { withCore } from '../with-core.ts';

export const keyRegenerate: Command = {
  name: 'key regenerate',
  summary: "Replaces a project's key or the admin token; the old one is invalid at once.",
  details:
    '--project and --slot: a delivery or preview key. --project and --key: a management key, by its id.\n' +
    '--admin-token: the token of the admin API in the data folder. Prints the new one as JSON, only once.',
  options: {
    project: { value: 'GUID', about: 'the project' },
    slot: { value: 'SLOT', about: KEY_SLOTS.join(', ') },
    key: { value: 'ID', about: 'id of a management key, as key list shows it' },
    days: { value: 'NUMBER', about: 'with --key: how long the new one is valid; 4000 when not given' },
    'admin-token': { about: 'the admin token' },
  },
  onData: true,
  async run(call) {
    return printJson(call, await withCore(call, await replacementOf(call)));
  },
};

async function replacementOf(call: Call): Promise<(operations: Services) => Promise<object>> {
  const { slot: name, key } = call.options;
  const given = [name !== undefined, key !== undefined, call.switches.has('admin-token')];
  if (given.filter(Boolean).length !== 1)
    throw new UsageError('Give one of --slot, --key and --admin-token.');
  const days = daysOption(call);
  if (days !== undefined && key === undefined)
    throw new UsageError('--days is for --key: other keys do not expire.');
  if (call.switches.has('admin-token') && call.options['project'] !== undefined)
    throw new UsageError('--admin-token is the same for all projects; leave --project out.');
  if (call.switches.has('admin-token'))
    return (await import('../../../core/access/replace-admin-token.ts')).replaceAdminToken;
  const project = requiredOption(call, 'project');
  const { regenerateKey, regenerateManagementKey } = await import('../../../core/access/keys.ts');
  if (key !== undefined)
    return ({ installation }) =>
      installation(null, (to) => regenerateManagementKey(to, project, key.toLowerCase(), days));
  const slot = KEY_SLOTS.find((one) => one === name);
  if (slot === undefined) throw new UsageError(`--slot is one of ${KEY_SLOTS.join(', ')}.`);
  return ({ installation }) => installation(null, (to) => regenerateKey(to, project, slot));
}
