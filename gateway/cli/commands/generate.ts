import { generate as generateContent } from '../../../core/generate/generate.ts';
import { type Command, requiredOption, UsageError } from '../command.ts';
import { withCore } from '../with-core.ts';

export const generate: Command = {
  name: 'generate',
  summary: 'Makes content for load tests, the same every time.',
  details:
    'Twenty types, links, taxonomies, rich text with components. A project of its own unless one is named;\n' +
    'a second call on the same project goes on where the first left off. Prints {"project_id": …} at the end.',
  options: {
    items: { value: 'NUMBER', about: 'how many items', required: true },
    project: { value: 'GUID', about: 'the project to fill' },
    languages: { value: 'NUMBER', about: 'languages in all; 1 when not given' },
  },
  onData: true,
  async run(call) {
    const items = countOf(requiredOption(call, 'items'), 'items', 10_000_000);
    const languages = countOf(call.options['languages'] ?? '1', 'languages', 50);
    const { project: named } = call.options;
    const started = performance.now();
    let told = 0;
    const progress = (done: number, total: number) => {
      const seconds = (performance.now() - started) / 1000;
      if (seconds - told < 1 && done < total) return;
      told = seconds;
      const rate = Math.round(done / seconds);
      call.terminal.progress(`${done} of ${total} items, ${rate} a second, ${seconds.toFixed(0)} s`);
    };
    const { project } = await withCore(
      call,
      (operations) =>
        generateContent(operations, {
          items,
          languages,
          progress,
          ...(named ? { project: named } : {}),
          ...(call.signal ? { signal: call.signal } : {}),
        }),
      { mayCreate: true },
    );
    call.terminal.out(JSON.stringify({ project_id: project }));
    return 0;
  },
};

function countOf(text: string, name: string, most: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new UsageError(`--${name} wants a whole number from 1 to ${most}.`);
}
