import { z } from 'zod';
import {
  changeView,
  listViews,
  mayChangeView,
  removeView,
  type SavedView,
  saveView,
} from '../access/saved-views.ts';
import type { Person } from '../access/sessions.ts';
import { arrayOf, closed, flag, id, orNull, text } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { change, defined, ok } from './call.ts';
import { creates, lists, routesOf, shows } from './route.ts';

const VIEW = z.strictObject({
  name: z.string(),
  query: z.string().describe('Query of `content`, the listing of items in one language.'),
  is_shared: z.boolean().optional().describe('Everyone in the project sees it.'),
});
const CHANGES = VIEW.partial();

const route = routesOf({ read: 'view-content', write: 'view-content' });

export const savedViewRoutes = [
  route('GET projects/:project/views', {
    id: 'listViews',
    summary: 'List the own saved views and the shared ones',
    answers: lists('views', 'AdminSavedView'),
    handler: async ({ operations, at, person }) => {
      const views = await operations.read(at('project'), (view) => listViews(view, person?.account ?? null));
      return ok({ views: views.map((view) => toJson(view, person)) });
    },
  }),
  route('POST projects/:project/views', {
    id: 'saveView',
    summary: 'Save a view',
    body: bodyOf(VIEW),
    answers: creates('AdminSavedView'),
    conflict: true,
    handler: async ({ operations, at, body, person }) => {
      const { is_shared: isShared = false, ...input } = await body(VIEW);
      const view = await operations.inProject(at('project'), null, (transaction) =>
        saveView(transaction, { ...input, isShared }),
      );
      return { status: 201, body: toJson(view, person) };
    },
  }),
  route('PATCH projects/:project/views/:view', {
    id: 'changeView',
    summary: 'Change an own view; operators also change shared ones',
    body: bodyOf(CHANGES),
    answers: shows('AdminSavedView'),
    handler: async ({ operations, at, body, person }) => {
      const { name, query, is_shared: isShared } = await body(CHANGES);
      const changes = defined({ name, query, isShared });
      return ok(
        toJson(
          await operations.inProject(at('project'), null, (transaction) =>
            changeView(transaction, at('view'), changes),
          ),
          person,
        ),
      );
    },
  }),
  route('DELETE projects/:project/views/:view', {
    id: 'removeView',
    summary: 'Delete an own view; operators also delete shared ones',
    handler: (call) => change(call, (transaction) => removeView(transaction, call.at('view'))),
  }),
];

const ALLOWED = ['change', 'remove'] as const;

function toJson(view: SavedView, person: Person | undefined) {
  const { id, name, query, isShared, account, owner } = view;
  return {
    id,
    name,
    query,
    is_shared: isShared,
    owner: account === null ? null : { id: account, name: owner },
    allowed: mayChangeView(view, person?.account ?? null, person?.isOperator === true) ? ALLOWED : [],
  };
}

export const savedViewSchemas = {
  AdminSavedView: closed<keyof ReturnType<typeof toJson>>(
    {
      id: id('Id.'),
      name: text('Name.'),
      query: text('Query of the listing.'),
      is_shared: flag('Everyone in the project sees it.'),
      owner: orNull(
        closed(
          { id: id('Id of the user.'), name: orNull(text('Name.')) },
          'Who saved it; null = the installation.',
        ),
      ),
      allowed: arrayOf({ type: 'string', enum: [...ALLOWED] }, 'What you may do with it.'),
    },
    'A list of content with a name.',
  ),
};
