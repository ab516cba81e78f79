import type { Command } from '../command.ts';
import { printList } from '../print.ts';
import { withCore } from '../with-core.ts';

export const userList: Command = {
  name: 'user list',
  summary: 'Lists the users of the installation, and who of them can sign in at the console.',
  options: { json: { about: 'as JSON' } },
  onData: true,
  async run(call) {
    const { listPeople } = await import('../../../core/access/people.ts');
    const { listUsers } = await import('../../../core/access/users.ts');
    const users = await withCore(call, async ({ storage: { sql } }) => {
      const passwords = new Map((await listPeople(sql)).map(({ account, password }) => [account, password]));
      return (await listUsers(sql)).map(({ id, name, email, canSignIn, isOperator }) => ({
        id,
        name,
        email,
        signs_in: canSignIn,
        operator: isOperator,
        password: (passwords.get(id) ?? null) !== null,
      }));
    });
    return printList(call, users, ['ID', 'NAME', 'EMAIL', 'SIGNS IN', 'OPERATOR', 'PASSWORD'], (user) => [
      user.id,
      user.name,
      user.email,
      user.signs_in ? 'yes' : 'no',
      user.operator ? 'yes' : 'no',
      user.password ? 'set' : 'none',
    ]);
  },
};
