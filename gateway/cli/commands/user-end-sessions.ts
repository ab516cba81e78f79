import { StartError } from '../../../config/start-error.ts';
import { type Command, requiredOption } from '../command.ts';
import { withCore } from '../with-core.ts';

export const userEndSessions: Command = {
  name: 'user end-sessions',
  summary: 'Signs a user out everywhere.',
  options: { email: { value: 'ADDRESS', about: 'mail address of the user', required: true } },
  onData: true,
  async run(call) {
    const email = requiredOption(call, 'email');
    const { findPersonByEmail } = await import('../../../core/access/people.ts');
    const { endSessions } = await import('../../../core/access/sessions.ts');
    const ended = await withCore(call, ({ installation }) =>
      installation(null, async (to) => {
        const person = await findPersonByEmail(to.tx, email);
        if (!person)
          throw new StartError(`No user signs in with '${email}'; 'headwater user list' lists the users.`);
        return endSessions(to, person.account);
      }),
    );
    call.terminal.out(ended === 1 ? '1 session was ended.' : `${ended} sessions were ended.`);
    return 0;
  },
};
