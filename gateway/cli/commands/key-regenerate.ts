import { type KeySlot, regenerateKey } from '../../../core/access/keys.ts';
import { type Command, requiredOption, UsageError } from '../command.ts';
import { withCore } from '../with-core.ts';

const SLOTS: readonly KeySlot[] = [
  'delivery-primary',
  'delivery-secondary',
  'preview-primary',
  'preview-secondary',
];

export const keyRegenerate: Command = {
  name: 'key regenerate',
  summary: 'Replaces the key of a slot; the old one is dead at once.',
  details: 'Prints the new key as JSON; it is shown this once.',
  options: {
    project: { value: 'GUID', about: 'the project', required: true },
    slot: { value: 'SLOT', about: SLOTS.join(', '), required: true },
  },
  onData: true,
  async run(call) {
    const project = requiredOption(call, 'project');
    const slot = SLOTS.find((one) => one === call.options['slot']);
    if (slot === undefined) throw new UsageError(`--slot is one of ${SLOTS.join(', ')}.`);
    const made = await withCore(call, (operations) =>
      operations.installation(null, (installation) => regenerateKey(installation, project, slot)),
    );
    call.terminal.out(JSON.stringify(made, null, 2));
    return 0;
  },
};
