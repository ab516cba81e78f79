import type { Command } from '../command.ts';
import { printList } from '../print.ts';
import { withCore } from '../with-core.ts';

export const userList: Command = {
  name: 'user list',
  summary: 'Lists the users who can sign in at the console.',
  options: { json: { about: 'as JSON' } },
  onData: true,
  async run(call) {
    const { listPeople } = await import('../../../core/access/people.ts');
    const people = await withCore(call, async ({ storage }) =>
      (await listPeople(storage.sql)).map(({ account, name, email, password, operator }) => ({
        id: account,
        name,
        email,
        operator: operator === 1,
        password: password !== null,
      })),
    );
    return printList(call, people, ['ID', 'NAME', 'EMAIL', 'OPERATOR', 'PASSWORD'], (person) => [
      person.id,
      person.name,
      person.email,
      person.operator ? 'yes' : 'no',
      person.password ? 'set' : 'none',
    ]);
  },
};
