import { createUser, findUser, listUsers, removeUser, type User, updateUser } from '../access/users.ts';
import { arrayOf, closed, id, open, text, time } from '../http/openapi-shapes.ts';
import { NOTHING, ok } from './call.ts';
import { creates, lists, route, shows, string } from './route.ts';

const body = {
  name: string,
  email: string,
  projects: arrayOf(closed({ id: string, capabilities: arrayOf(string) })),
};

// The operations check the body.
export const userRoutes = [
  route('POST users', {
    id: 'createUser',
    summary: 'Create a user',
    body: open(body, undefined, ['name', 'email']),
    answers: creates('AdminUser'),
    handler: async ({ operations, body }) => {
      const input = await body();
      const user = await operations.installation(null, (to) => createUser(to, input as never));
      return { status: 201, body: toJson(user) };
    },
  }),
  route('GET users', {
    id: 'listUsers',
    summary: 'List users',
    answers: lists('users', 'AdminUser'),
    handler: async ({ operations }) => ok({ users: (await listUsers(operations.reader.sql)).map(toJson) }),
  }),
  route('GET users/:user', {
    id: 'getUser',
    summary: 'Read a user',
    answers: shows('AdminUser'),
    handler: async ({ operations, at }) => ok(toJson(await findUser(operations.reader.sql, at('user')))),
  }),
  route('PATCH users/:user', {
    id: 'updateUser',
    summary: 'Change a user',
    body: open(body),
    answers: shows('AdminUser'),
    handler: async ({ operations, at, body }) => {
      const { name, email, projects } = (await body()) as Partial<User>;
      const changes = {
        ...defined('name', name),
        ...defined('email', email),
        ...defined('projects', projects),
      };
      return ok(toJson(await operations.installation(null, (to) => updateUser(to, at('user'), changes))));
    },
  }),
  route('DELETE users/:user', {
    id: 'removeUser',
    summary: 'Remove a user and revoke its keys',
    handler: async ({ operations, at }) => {
      await operations.installation(null, (to) => removeUser(to, at('user')));
      return NOTHING;
    },
  }),
];

function toJson({ id, name, email, created, projects }: User) {
  return { id, name, email, created, projects };
}

function defined<Key extends string, Value>(key: Key, value: Value | undefined) {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}

export const userSchemas = {
  AdminUser: closed<keyof ReturnType<typeof toJson>>(
    {
      id: id('Id of the user.'),
      name: text('Name.'),
      email: text('Mail address.'),
      created: time('When it was created.'),
      projects: arrayOf(
        closed(
          {
            id: id('Id of the project.'),
            capabilities: arrayOf(text('Capability.'), 'What the user may do.'),
          },
          'A project of the user.',
        ),
        'Projects the user belongs to.',
      ),
    },
    'A user.',
  ),
};
