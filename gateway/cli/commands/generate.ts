import { type Command, requiredOption, UsageError } from '../command.ts';
import { longWork } from '../progress.ts';
import { withCore } from '../with-core.ts';

export const generate: Command = {
  name: 'generate',
  summary: 'Makes content for load tests, the same every time.',
  details:
    'Twenty types, links, taxonomies, rich text with components. Creates a project unless one is named; a second\n' +
    'call on the same project continues where the first ended. Prints {"project_id": …} at the end.',
  options: {
    items: { value: 'NUMBER', about: 'how many items', required: true },
    project: { value: 'GUID', about: 'the project to fill' },
    languages: { value: 'NUMBER', about: 'languages in all; 1 when not given' },
  },
  onData: true,
  async run(call) {
    const { generate: generateContent } = await import('../../../core/generate/generate.ts');
    const items = countOf(requiredOption(call, 'items'), 'items', 10_000_000);
    const languages = countOf(call.options['languages'] ?? '1', 'languages', 50);
    const { project: named } = call.options;
    const { project } = await withCore(
      call,
      (operations) =>
        generateContent(operations, { items, languages, project: named, ...longWork(call, 'items') }),
      { mayCreate: true },
    );
    call.terminal.out(JSON.stringify({ project_id: project }));
    return 0;
  },
};

function countOf(text: string, name: string, most: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new UsageError(`--${name} must be a whole number from 1 to ${most}.`);
}
