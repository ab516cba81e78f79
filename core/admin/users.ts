import { createUser, findUser, listUsers, removeUser, type User, updateUser } from '../access/users.ts';
import { NOTHING, ok, route } from './call.ts';

// The operations check every field of the body themselves.
export const userRoutes = [
  route('POST', 'users', async ({ operations, body }) => {
    const input = await body();
    const user = await operations.installation(null, (to) => createUser(to, input as never));
    return { status: 201, body: toJson(user) };
  }),
  route('GET', 'users', async ({ operations }) =>
    ok({ users: (await listUsers(operations.reader.sql)).map(toJson) }),
  ),
  route('GET', 'users/:user', async ({ operations, at }) =>
    ok(toJson(await findUser(operations.reader.sql, at('user')))),
  ),
  route('PATCH', 'users/:user', async ({ operations, at, body }) => {
    const { name, email, projects } = (await body()) as Partial<User>;
    const changes = {
      ...defined('name', name),
      ...defined('email', email),
      ...defined('projects', projects),
    };
    return ok(toJson(await operations.installation(null, (to) => updateUser(to, at('user'), changes))));
  }),
  route('DELETE', 'users/:user', async ({ operations, at }) => {
    await operations.installation(null, (to) => removeUser(to, at('user')));
    return NOTHING;
  }),
];

function toJson({ id, name, email, created, projects }: User) {
  return { id, name, email, created, projects };
}

function defined<Key extends string, Value>(key: Key, value: Value | undefined) {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}
