import { ServiceError } from '../../../core/contract.ts';
import { type Command, requiredOption, wholeNumber } from '../command.ts';
import { longWork } from '../progress.ts';
import { withCore } from '../with-core.ts';

export const generate: Command = {
  name: 'generate',
  summary: 'Makes content for load tests, the same every time.',
  details:
    'Twenty types, links, taxonomies, rich text with components. Creates a project unless an empty one is named; a\n' +
    'second call on the same project continues where the first ended, also after one that was ended early. Prints\n' +
    '{"project_id": …} at the end.',
  options: {
    items: { value: 'NUMBER', about: 'how many items', required: true },
    project: { value: 'GUID', about: 'the project to fill' },
    languages: { value: 'NUMBER', about: 'languages in all, for the first call; 1 when not given' },
  },
  onData: true,
  async run(call) {
    const { generate: generateContent } = await import('../../../core/generate/generate.ts');
    const items = wholeNumber(requiredOption(call, 'items'), 'items', 10_000_000);
    const given = call.options['languages'];
    const languages = given === undefined ? undefined : wholeNumber(given, 'languages', 50);
    const { progress, indexing, signal } = longWork(call, 'items');
    let { project } = call.options;
    let hasBegun = false;
    let done = 0;
    const options = {
      items,
      languages,
      project,
      signal,
      indexing,
      begin(id: string) {
        project = id;
        hasBegun = true;
      },
      progress(count: number) {
        done = count;
        progress(count, items);
      },
    };
    try {
      await withCore(call, (operations) => generateContent(operations, options), { mayCreate: true });
    } catch (error) {
      if (hasBegun && done === items) {
        call.terminal.err(`All ${items} items were generated, into the project ${project}.`);
      } else if (hasBegun) {
        // The last commit may have been made.
        const least = error instanceof ServiceError && error.status === 503 ? 'At least ' : '';
        call.terminal.err(
          `${least}${done} of ${items} items were generated; 'headwater generate --items ${items - done} --project ${project}' makes the rest.`,
        );
      }
      throw error;
    }
    call.terminal.out(JSON.stringify({ project_id: project }));
    return 0;
  },
};
