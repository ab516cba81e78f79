import { StartError } from '../../../config/start-error.ts';
import type { Command } from '../command.ts';
import { signInUrl } from '../sign-in-url.ts';
import { withCore } from '../with-core.ts';

export const userSignInLink: Command = {
  name: 'user sign-in-link',
  summary: 'Prints a link that signs a user in at the console, once.',
  details:
    'The link is valid for 15 minutes; its page lets the user set a new password. While there is no user who can sign\n' +
    'in, no --email is needed: the page makes the first one, an operator.',
  options: { email: { value: 'ADDRESS', about: 'mail address of the user' } },
  onData: true,
  async run(call) {
    const { email } = call.options;
    const { findPersonByEmail, hasPeople } = await import('../../../core/access/people.ts');
    const { createLink } = await import('../../../core/access/sign-in-links.ts');
    const token = await withCore(call, ({ installation }) =>
      installation(null, async (to) => {
        if (email === undefined && (await hasPeople(to.tx)))
          throw new StartError("--email says whose link it is; 'headwater user list' lists the users.");
        const person = email === undefined ? null : await findPersonByEmail(to.tx, email);
        if (person === undefined)
          throw new StartError(`No user signs in with '${email}'; 'headwater user list' lists the users.`);
        return createLink(to, person?.account ?? null);
      }),
    );
    call.terminal.out(await signInUrl(call, token));
    return 0;
  },
};
