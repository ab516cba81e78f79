import { type Command, requiredOption } from '../command.ts';
import { signInUrl } from '../sign-in-url.ts';
import { withCore } from '../with-core.ts';

export const userCreate: Command = {
  name: 'user create',
  summary: 'Makes a user who can sign in at the console, and prints a sign-in link.',
  details: 'The link is valid once, for 15 minutes; its page asks for a password.',
  options: {
    name: { value: 'TEXT', about: 'name of the user', required: true },
    email: { value: 'ADDRESS', about: 'mail address, with which the user signs in', required: true },
    operator: { about: 'may do everything in the whole installation' },
  },
  onData: true,
  async run(call) {
    const name = requiredOption(call, 'name');
    const email = requiredOption(call, 'email');
    const { createUser } = await import('../../../core/access/users.ts');
    const { addPerson } = await import('../../../core/access/people.ts');
    const { createLink } = await import('../../../core/access/sign-in-links.ts');
    const { id, token } = await withCore(call, ({ installation }) =>
      installation(null, async (to) => {
        const { id } = await createUser(to, { name, email });
        await addPerson(to, { account: id, email, isOperator: call.switches.has('operator') });
        return { id, token: await createLink(to, id) };
      }),
    );
    call.terminal.err(`The user ${id} signs in with:`);
    call.terminal.out(await signInUrl(call, token));
    return 0;
  },
};
