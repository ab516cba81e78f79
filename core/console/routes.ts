import { arrayOf, closed, type Schema, schema } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { namedRoutes } from '../http/route.ts';
import type { ConsoleAnswer, ConsoleCall } from './call.ts';
import { deletePresence, listActivity, listChanges, PRESENCE, putPresence } from './events.ts';
import { describeSession, endOwnSession, ownSessions } from './own-sessions.ts';
import { recordRefusedWrite } from './refused-writes.ts';
import {
  changePassword,
  confirm,
  describeLink,
  PASSWORD_CHANGE,
  signIn,
  signInByLink,
  signOut,
} from './sign-in.ts';
import { signInByOpenId } from './sign-in-by-open-id.ts';

const route = namedRoutes<(call: ConsoleCall) => Promise<ConsoleAnswer>>();

/** Of each write: what a form of another site cannot send. */
const OWN_PAGE: readonly Schema[] = [
  {
    name: 'X-Headwater-Console',
    in: 'header',
    required: true,
    description: 'Any value: a page of another origin cannot send it.',
    schema: { type: 'string' },
    example: '1',
  },
  {
    name: 'Origin',
    in: 'header',
    required: false,
    description:
      'Origin of the console, where the client does not send `Sec-Fetch-Site: same-origin` as browsers do.',
    schema: { type: 'string' },
  },
];

/** What the person who is signed in does for themselves; in the OpenAPI document. */
export const personRoutes = [
  route('GET api/session', {
    id: 'getSession',
    summary: 'Read who is signed in',
    answers: { 200: { schema: schema('ConsoleSession') } },
    handler: describeSession,
  }),
  route('GET api/sessions', {
    id: 'listSessions',
    summary: 'List the own sessions',
    answers: { 200: { schema: closed({ sessions: arrayOf(schema('ConsoleOwnSession')) }) } },
    handler: ownSessions,
  }),
  route('DELETE api/sessions/:session', {
    id: 'endSession',
    summary: 'End an own session',
    parameters: OWN_PAGE,
    handler: endOwnSession,
  }),
  route('PUT api/password', {
    id: 'changePassword',
    summary: 'Change the own password',
    description: 'Ends every other session of the person.',
    parameters: OWN_PAGE,
    body: bodyOf(PASSWORD_CHANGE),
    handler: changePassword,
  }),
  route('PUT api/presence', {
    id: 'putPresence',
    summary: 'Report the variant that is open',
    description: 'For 45 seconds, to the others who are signed in. Informative only.',
    parameters: OWN_PAGE,
    body: bodyOf(PRESENCE),
    handler: putPresence,
  }),
  route('DELETE api/presence/:tab', {
    id: 'deletePresence',
    summary: 'Report that it was closed',
    parameters: OWN_PAGE,
    handler: deletePresence,
  }),
];

const signInRoutes = [
  route('POST api/session', {
    id: 'signIn',
    summary: 'Sign in with mail address and password',
    handler: signIn,
  }),
  route('DELETE api/session', { id: 'signOut', summary: 'Sign out', handler: signOut }),
  route('GET api/session/link', {
    id: 'describeLink',
    summary: 'Read what a sign-in link asks for',
    handler: describeLink,
  }),
  route('POST api/session/link', {
    id: 'signInByLink',
    summary: 'Sign in with a one-time link',
    handler: signInByLink,
  }),
  route('POST api/session/confirm', {
    id: 'confirmPassword',
    summary: 'Confirm the password',
    handler: confirm,
  }),
];

/** Only gateways themselves can call these: for signing in with OpenID Connect, and for their event streams. */
const gatewayRoutes = [
  route('POST api/session/open-id', {
    id: 'signInByOpenId',
    summary: 'Sign in as the person whom an OpenID provider has signed in',
    handler: signInByOpenId,
  }),
  route('GET api/changes', { id: 'listChanges', summary: 'List what was changed', handler: listChanges }),
  route('GET api/activity', {
    id: 'listActivity',
    summary: 'List who works on what, and jobs that went on',
    handler: listActivity,
  }),
  route('POST api/refused-writes', {
    id: 'recordRefusedWrite',
    summary: 'Record a write that the gateway has refused, in the audit log',
    handler: recordRefusedWrite,
  }),
];

/** The calls of the console itself; everything else it does is in the management and the admin API. */
export const routes = [...personRoutes, ...signInRoutes, ...gatewayRoutes];
