import { ServiceError } from '../../../core/contract.ts';
import type { Installation } from '../../../core/transaction/installation.ts';
import { type Command, requiredOption, UsageError } from '../command.ts';
import { daysOption } from '../days-option.ts';
import { printJson } from '../print.ts';
import { withCore } from '../with-core.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: "Makes a project's delivery keys or a user's management key.",
  details:
    'delivery: turns secure access on, which makes both keys. management: turns the management API on.\n' +
    'Prints JSON; it shows a key only once. A project has its preview keys from the start.',
  options: {
    project: { value: 'GUID', about: 'the project', required: true },
    kind: { value: 'KIND', about: 'delivery or management', required: true },
    user: { value: 'ID', about: 'management: the user of the key' },
    days: { value: 'NUMBER', about: 'management: how long it is valid; 4000 when not given' },
  },
  onData: true,
  async run(call) {
    const project = requiredOption(call, 'project');
    const kind = requiredOption(call, 'kind');
    if (kind !== 'delivery' && kind !== 'management')
      throw new UsageError('--kind is delivery or management.');
    const surplus = ['user', 'days'].find((name) => call.options[name] !== undefined);
    if (kind === 'delivery' && surplus !== undefined)
      throw new UsageError(
        `--${surplus} is for --kind management; delivery keys belong to the project and do not expire.`,
      );
    const user = kind === 'management' ? requiredOption(call, 'user') : '';
    const days = daysOption(call);
    const { createManagementKey } = await import('../../../core/access/projects.ts');
    const made = await withCore(call, (operations) =>
      operations.installation<object>(null, (installation) =>
        kind === 'delivery'
          ? deliveryKeys(installation, project)
          : createManagementKey(installation, project, user, days),
      ),
    );
    return printJson(call, made);
  },
};

async function deliveryKeys(installation: Installation, project: string) {
  const { setSecureAccess } = await import('../../../core/access/projects.ts');
  const made = await setSecureAccess(installation, project, true);
  if (made.primary !== undefined) return made;
  throw new ServiceError(
    'conflict',
    "Secure access is on already, with both keys; 'key regenerate --slot' replaces one.",
  );
}
