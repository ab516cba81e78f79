import { createProject } from '../../../core/access/projects.ts';
import type { Command } from '../command.ts';
import { requiredOption } from '../command.ts';
import { withCore } from '../with-core.ts';

export const projectCreate: Command = {
  name: 'project create',
  summary: 'Makes a project with its default language and the keys of preview.',
  details: 'Prints the project as JSON. The keys are shown this once.',
  options: {
    name: { value: 'TEXT', about: 'name of the project', required: true },
    id: { value: 'GUID', about: 'its id; made when not given' },
    language: { value: 'CODENAME', about: "codename of the default language; 'default' when not given" },
    'language-name': { value: 'TEXT', about: 'name of that language' },
  },
  onData: true,
  async run(call) {
    const name = requiredOption(call, 'name');
    const { id, language, 'language-name': languageName } = call.options;
    const project = await withCore(
      call,
      (operations) =>
        operations.installation(null, (installation) =>
          createProject(installation, {
            name,
            ...(id === undefined ? {} : { id }),
            ...(language === undefined
              ? {}
              : { default_language: { codename: language, name: languageName ?? language } }),
          }),
        ),
      { mayCreate: true },
    );
    const { number: _number, ...shown } = project;
    call.terminal.out(JSON.stringify(shown, null, 2));
    return 0;
  },
};
