import { type Command, requiredOption, UsageError } from '../command.ts';
import { printJson } from '../print.ts';
import { withCore } from '../with-core.ts';

export const projectCreate: Command = {
  name: 'project create',
  summary: 'Makes a project with its default language and its preview keys.',
  details: 'Prints the project as JSON. It shows the keys only once.',
  options: {
    name: { value: 'TEXT', about: 'name of the project', required: true },
    id: { value: 'GUID', about: 'its id; made when not given' },
    language: { value: 'CODENAME', about: "codename of the default language; 'default' when not given" },
    'language-name': { value: 'TEXT', about: 'name of that language; its codename when not given' },
  },
  onData: true,
  async run(call) {
    const { createProject } = await import('../../../core/access/projects.ts');
    const name = requiredOption(call, 'name');
    const { id, language, 'language-name': languageName } = call.options;
    if (language === undefined && languageName !== undefined)
      throw new UsageError('--language-name needs --language.');
    const project = await withCore(
      call,
      (operations) =>
        operations.installation(null, (installation) =>
          createProject(installation, {
            name,
            id,
            default_language:
              language === undefined ? undefined : { codename: language, name: languageName ?? language },
          }),
        ),
      { mayCreate: true },
    );
    const { number: _number, ...shown } = project;
    return printJson(call, shown);
  },
};
