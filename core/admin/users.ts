import { z } from 'zod';
import { addPerson, setOperator } from '../access/people.ts';
import { createLink, LINK_MINUTES } from '../access/sign-in-links.ts';
import { createUser, findUser, listUsers, removeUser, type User, updateUser } from '../access/users.ts';
import { arrayOf, closed, count, flag, id, open, schema, text, time } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { WHOLE } from '../http/route.ts';
import { invite } from '../mail/invite.ts';
import type { Installation } from '../transaction/installation.ts';
import { defined, NOTHING, ok } from './call.ts';
import { creates, lists, routesOf, shows, string } from './route.ts';

const OPERATOR = z.strictObject({ operator: z.boolean() });
/** What a body about a user has beside what `createUser` and `updateUser` check. */
const WAYS_IN = z.looseObject({
  operator: z.boolean().optional(),
  sign_in: z.enum(['link', 'mail']).optional(),
});

const body = {
  name: string,
  email: string,
  projects: arrayOf(
    open({ id: string, capabilities: arrayOf(string), roles: arrayOf(string) }, undefined, ['id']),
  ),
  operator: { type: 'boolean', description: 'May do everything in the installation, and can sign in.' },
};
const signIn = {
  enum: ['link', 'mail'],
  description:
    'The user can sign in at the console. `link`: the answer has a one-time link for it; `mail`: the user gets one.',
};

const route = routesOf({ read: 'operator', write: 'operator' });

// The operations check the body.
export const userRoutes = [
  route('POST users', {
    id: 'createUser',
    summary: 'Create a user',
    description:
      'All or nothing: where the mail address is taken or the mail cannot be queued, no user is made.',
    body: open({ ...body, sign_in: signIn }, undefined, ['name', 'email']),
    answers: creates('AdminNewUser'),
    conflict: true,
    handler: async ({ operations, consoleUrl, body }) => {
      const { operator = false, sign_in } = await body(WAYS_IN);
      const input = await body();
      const made = await operations.installation(null, async (to) => {
        const { id: account, name, email } = await createUser(to, input as never);
        if (operator || sign_in !== undefined) await addPerson(to, { account, email, isOperator: operator });
        if (sign_in === 'mail') await invite(to, { account, name, email, consoleUrl });
        const link = sign_in === 'link' ? linkJson(await createLink(to, account)) : undefined;
        return { ...toJson(await findUser(to.tx, account)), ...(link && { sign_in_link: link }) };
      });
      return { status: 201, body: made };
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
    conflict: true,
    handler: async ({ operations, at, body }) => {
      const { operator } = await body(WAYS_IN);
      const { name, email, projects } = (await body()) as Partial<User>;
      const changes = defined({ name, email, projects });
      const user = await operations.installation(null, async (to) => {
        const updated = await updateUser(to, at('user'), changes);
        return operator === undefined || operator === updated.isOperator
          ? updated
          : withOperator(to, updated, operator);
      });
      return ok(toJson(user));
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
        const { id } = await signingIn(to, at('user'));
        return linkJson(await createLink(to, id));
      });
      return { status: 201, body: link };
    },
  }),
  route('POST users/:user/invitation', {
    id: 'inviteUser',
    summary: 'Mail a user a link that signs in at the console, once',
    description: 'A user who could not sign in before can from now on.',
    conflict: true,
    handler: async ({ operations, consoleUrl, at }) => {
      await operations.installation(null, async (to) => {
        const { id: account, name, email } = await signingIn(to, at('user'));
        await invite(to, { account, name, email, consoleUrl });
      });
      return NOTHING;
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
      const user = await operations.installation(null, async (to) =>
        withOperator(to, await findUser(to.tx, at('user')), operator),
      );
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

/** The user, who can sign in from now on. */
async function signingIn(to: Installation, id: string): Promise<User> {
  const user = await findUser(to.tx, id);
  if (!user.canSignIn) await addPerson(to, { account: user.id, email: user.email, isOperator: false });
  return user;
}

async function withOperator(to: Installation, { id }: User, isOperator: boolean): Promise<User> {
  // Without a way to sign in a user is none, and gets no such way by staying so.
  if (isOperator) await signingIn(to, id);
  await setOperator(to, id, isOperator);
  return findUser(to.tx, id);
}

function toJson({ canSignIn, isOperator, ...user }: User) {
  return { ...user, can_sign_in: canSignIn, is_operator: isOperator };
}

function linkJson(token: string) {
  return { token, valid_minutes: LINK_MINUTES };
}

const properties = {
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
};

export const userSchemas = {
  AdminUser: closed<keyof ReturnType<typeof toJson>>(properties, 'A user.'),
  AdminNewUser: closed(
    { ...properties, sign_in_link: schema('AdminSignInLink') },
    'A user; `sign_in_link` where the body asks for one.',
    ['sign_in_link'],
  ),
  AdminSignInLink: closed<keyof ReturnType<typeof linkJson>>(
    {
      token: text('Comes after `/console/sign-in#token=`.'),
      valid_minutes: count('How long it is valid.'),
    },
    'A sign-in link.',
  ),
};
