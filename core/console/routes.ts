import { namedRoutes } from '../http/route.ts';
import type { ConsoleAnswer, ConsoleCall } from './call.ts';
import { deletePresence, listActivity, listChanges, putPresence } from './events.ts';
import { describeSession, endOwnSession, ownSessions } from './own-sessions.ts';
import { recordRefusedWrite } from './refused-writes.ts';
import { changePassword, confirm, describeLink, signIn, signInByLink, signOut } from './sign-in.ts';
import { signInByOpenId } from './sign-in-by-open-id.ts';

const route = namedRoutes<(call: ConsoleCall) => Promise<ConsoleAnswer>>();

/** The calls of the console itself; everything else it does is in the management and the admin API. */
export const routes = [
  route('GET api/session', {
    id: 'getSession',
    summary: 'Read who is signed in',
    handler: describeSession,
  }),
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
  route('POST api/session/open-id', {
    id: 'signInByOpenId',
    summary: 'Sign in as the person whom an OpenID provider has signed in; only gateways can call it',
    handler: signInByOpenId,
  }),
  route('POST api/session/confirm', {
    id: 'confirmPassword',
    summary: 'Confirm the password',
    handler: confirm,
  }),
  route('GET api/changes', {
    id: 'listChanges',
    summary: 'List what was changed, for the event stream',
    handler: listChanges,
  }),
  route('GET api/activity', {
    id: 'listActivity',
    summary: 'List who works on what, and jobs that went on, for the event stream',
    handler: listActivity,
  }),
  route('POST api/refused-writes', {
    id: 'recordRefusedWrite',
    summary: 'Record a write that the gateway has refused, in the audit log; only gateways can call it',
    handler: recordRefusedWrite,
  }),
  route('PUT api/presence', {
    id: 'putPresence',
    summary: 'Report the variant that is open',
    handler: putPresence,
  }),
  route('DELETE api/presence/:tab', {
    id: 'deletePresence',
    summary: 'Report that it was closed',
    handler: deletePresence,
  }),
  route('PUT api/password', {
    id: 'changePassword',
    summary: 'Change the own password',
    handler: changePassword,
  }),
  route('GET api/sessions', {
    id: 'listSessions',
    summary: 'List the own sessions',
    handler: ownSessions,
  }),
  route('DELETE api/sessions/:session', {
    id: 'endSession',
    summary: 'End a session',
    handler: endOwnSession,
  }),
];
