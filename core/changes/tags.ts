import type { Channel } from '../model/model.ts';

/**
 * The names under which answers are kept and changes are told. An answer carries what it was made of, a change
 * what it touched; both are made here, so that they meet. The table is in this folder's README.
 */

/** Of answers that are made of too much to name, and of any change of a project. */
export const EVERYTHING = '*';
/** Any type, snippet or taxonomy group that types show. */
export const TYPES = 'types';
export const TAXONOMIES = 'taxonomies';
/** Any language: its name, whether it is active, what it falls back to. */
export const LANGUAGES = 'languages';

/** Which projects there are. */
export const PROJECTS = 'projects';

/** One key: whether it is valid, and whose it is. */
export function keyTag(id: string): string {
  return `key:${id}`;
}

/** Which keys a project has. */
export function keysTag(project: string): string {
  return `keys:${project}`;
}

/** Which webhooks a project has. */
export function webhooksTag(project: string): string {
  return `webhooks:${project}`;
}

/** An uploaded file and its pictures. */
export function assetFileTag(id: string): string {
  return `asset-file:${id}`;
}

/** All that readers get of a project. */
export function projectTag(id: string): string {
  return `project:${id}`;
}

export function typeTag(codename: string): string {
  return `type:${codename}`;
}

export function taxonomyTag(codename: string): string {
  return `taxonomy:${codename}`;
}

/** Which item has this id, whether readers get it or not. */
export function itemIdTag(id: string): string {
  return `id:${id}`;
}

/** What readers of the channel get under an item's codename, be it nothing. */
export function itemTag(channel: Channel, codename: string): string {
  return `${PREFIX[channel]}item:${codename}`;
}

/** The same by storage number, for an item that an answer would show if readers got it. */
export function itemNumberTag(channel: Channel, number: number): string {
  return `${PREFIX[channel]}item:#${number}`;
}

/** Which items of a type there are in the channel, and anything by which they are found or ordered. */
export function membersTag(channel: Channel, type: string): string {
  return `${PREFIX[channel]}members:${type}`;
}

/** The same of every type. */
export function allMembersTag(channel: Channel): string {
  return membersTag(channel, EVERYTHING);
}

/** A draft that is saved leaves what is public as it is. */
const PREFIX = { published: '', latest: 'preview-' } as const satisfies Record<Channel, string>;
