import { z } from 'zod';
import { addPerson, findPersonById, setOperator } from '../access/people.ts';
import { createLink, LINK_MINUTES } from '../access/sign-in-links.ts';
import { createUser, findUser, listUsers, removeUser, type User, updateUser } from '../access/users.ts';
import { arrayOf, closed, count, flag, id, open, text, time } from '../http/openapi-shapes.ts';
import { WHOLE } from '../http/route.ts';
import { NOTHING, ok } from './call.ts';
import { bodyOf, creates, lists, routesOf, shows, string } from './route.ts';

const OPERATOR = z.strictObject({ operator: z.boolean() });

const body = {
  name: string,
  email: string,
  projects: arrayOf(
    open({ id: string, capabilities: arrayOf(string), roles: arrayOf(string) }, undefined, ['id']),
  ),
};

const route = routesOf({ read: 'operator', write: 'operator' });

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
    tagged: WHOLE,
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
  route('POST users/:user/sign-in-link', {
    id: 'createSignInLink',
    summary: 'Make a link that signs a user in at the console, once',
    description: 'A user who could not sign in before can from now on. The token is shown only here.',
    answers: creates('AdminSignInLink'),
    conflict: true,
    handler: async ({ operations, at }) => {
      const link = await operations.installation(null, async (to) => {
        const { id: account, email, canSignIn } = await findUser(to.tx, at('user'));
        if (!canSignIn) await addPerson(to, { account, email, isOperator: false });
        return linkJson(await createLink(to, account));
      });
      return { status: 201, body: link };
    },
  }),
  route('PUT users/:user/operator', {
    id: 'setOperator',
    summary: 'Make a user an operator of the installation, or an ordinary user',
    body: bodyOf(OPERATOR),
    answers: shows('AdminUser'),
    conflict: true,
    handler: async ({ operations, at, body }) => {
      const { operator } = await body(OPERATOR);
      const user = await operations.installation(null, async (to) => {
        const { id: account, email } = await findUser(to.tx, at('user'));
        if (!(await findPersonById(to.tx, account)))
          await addPerson(to, { account, email, isOperator: false });
        await setOperator(to, account, operator);
        return findUser(to.tx, account);
      });
      return ok(toJson(user));
    },
  }),
  route('DELETE users/:user', {
    id: 'removeUser',
    summary: 'Remove a user and revoke its keys',
    conflict: true,
    handler: async ({ operations, at }) => {
      await operations.installation(null, (to) => removeUser(to, at('user')));
      return NOTHING;
    },
  }),
];

function toJson({ canSignIn, isOperator, ...user }: User) {
  return { ...user, can_sign_in: canSignIn, is_operator: isOperator };
}

function linkJson(token: string) {
  return { token, valid_minutes: LINK_MINUTES };
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
            roles: arrayOf(id('Id of a role.'), 'Roles of the user.'),
          },
          'A project of the user.',
        ),
        'Projects the user belongs to.',
      ),
      can_sign_in: flag('The user can sign in at the console.'),
      is_operator: flag('The user may do everything in the installation.'),
    },
    'A user.',
  ),
  AdminSignInLink: closed<keyof ReturnType<typeof linkJson>>(
    {
      token: text('Comes after `/console/sign-in#token=`.'),
      valid_minutes: count('How long it is valid.'),
    },
    'A sign-in link.',
  ),
};
